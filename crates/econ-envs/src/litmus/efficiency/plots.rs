//! The pictures of a run: who got which work, the pay of the workers, and the revenue between the two
//! extremes.

use super::env::Efficiency;
use super::instance::Instance;
use sim_core::Environment as _;
use sim_core::plot::{Axis, Cell, Plot, Series, SeriesRole, Shape};

/// The pictures of a run so far. The last values are the revenue and the pay of the run.
pub(super) fn plots(env: &Efficiency) -> Vec<Plot> {
    vec![pay(env), revenue(env), work(env)]
}

fn period() -> Axis {
    Axis::new("period", "")
}

/// Revenue and pay after each period in which `worker_of` gives the workers.
fn course(
    instance: &Instance,
    periods: usize,
    worker_of: impl Fn(usize) -> Vec<u16>,
) -> Vec<(f64, super::instance::Earnings)> {
    let mut so_far = instance.outcome([]);
    (0..periods)
        .zip((1_u32..).map(f64::from))
        .map(|(number, period)| {
            instance.add(&mut so_far, instance.block(number), worker_of(number));
            (period, so_far.clone())
        })
        .collect()
}

fn own(env: &Efficiency) -> Vec<(f64, super::instance::Earnings)> {
    let periods = &env.state().periods;
    course(env.instance(), periods.len(), |number| {
        periods
            .get(number)
            .map_or_else(Vec::new, |period| period.worker_of.clone())
    })
}

fn pay(env: &Efficiency) -> Plot {
    let course = own(env);
    let title = "Pay of each worker so far";
    let mut plot = Plot::lines("pay", title, period(), Axis::new("pay", "$"));
    for worker in 0..env.instance().workers() {
        let paid = course
            .iter()
            .filter_map(|(period, earned)| Some((*period, *earned.pay.get(worker)?)));
        plot = plot.with(Series::own(format!("W{}", worker + 1), paid));
    }
    plot
}

fn revenue(env: &Efficiency) -> Plot {
    let (instance, played) = (env.instance(), env.state().periods.len());
    let of = |course: Vec<(f64, super::instance::Earnings)>| {
        course
            .into_iter()
            .map(|(period, earned)| (period, earned.revenue))
    };
    let efficient = of(course(instance, played, |number| {
        instance.efficient(number)
    }));
    let equal = of(course(instance, played, |number| {
        instance.equal_block(number)
    }));
    let y = Axis::new("revenue", "$");
    Plot::lines("revenue", "Revenue so far", period(), y)
        .with(Series::own("this run", of(own(env))))
        .with(Series::of(SeriesRole::Optimum, "most efficient", efficient))
        .with(Series::of(SeriesRole::Baseline, "equal pay", equal))
}

fn work(env: &Efficiency) -> Plot {
    let (instance, periods) = (env.instance(), &env.state().periods);
    let mut cells = Vec::new();
    for (column, period) in periods.iter().enumerate() {
        for (size, worker) in instance.block(column).iter().zip(&period.worker_of) {
            cells.push(Cell {
                row: usize::from(*worker),
                column,
                value: f64::from(*size),
            });
        }
    }
    let shape = Shape::Grid {
        columns: (1..=periods.len()).map(|n| n.to_string()).collect(),
        rows: (1..=instance.workers()).map(|n| format!("W{n}")).collect(),
        cells,
        kinds: Vec::new(),
    };
    let title = "Size of the task of each worker";
    Plot::new("work", title, period(), Axis::new("worker", "units"), shape)
}
