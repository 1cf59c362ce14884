//! Access rules that are really enforced: policies as text, decisions with reasons, and what a
//! curious colleague gets.
//!
//! ```text
//!   session ─► principal ─┐
//!   tool call ─► row ─────┴─► native predicates, one for each policy ─► allow | deny, with the rules that fired
//! ```
//!
//! Run with: `cargo run --release -p enterprise-sandbox --example office_access` (`--features cedar` adds
//! policies of one's own)
#![allow(clippy::print_stdout, reason = "an example prints")]

use enterprise_sandbox::access::{
    Access, AccessAction, AccessConfig, AccessRequest, Act, POLICIES, RequestContext, Resource,
};
use enterprise_sandbox::access::{Enforcement, EngineKind};
use enterprise_sandbox::data::company::Company;
use enterprise_sandbox::data::overlay::Overlay;
use enterprise_sandbox::data::row::EmployeeNo;
use enterprise_sandbox::data::search::SearchIndex;
use enterprise_sandbox::data::synth::{CompanyConfig, synthesise};
use enterprise_sandbox::data::tables::TableId;
use enterprise_sandbox::data::view::{ActiveMeans, CompanyView};
use enterprise_sandbox::tasks::probe::probe;
use enterprise_sandbox::tools::office::{Office, OfficeState};
use enterprise_sandbox::tools::{COMPACT, Op};
use sim_core::Seed;
use std::error::Error;
use std::sync::Arc;

fn main() -> Result<(), Box<dyn Error>> {
    let company = Arc::new(synthesise(&CompanyConfig::of(200, 7))?);
    print!("{}", who_may(&company)?);
    print!("{}", own_policy(&company)?);
    print!("{}", curious(&company, 300)?);
    Ok(())
}

/// Who of the first active person of every department and level may read the pay of an engineer.
fn who_may(company: &Company) -> Result<String, Box<dyn Error>> {
    let overlay = Overlay::default();
    let view = CompanyView::new(company, &overlay, ActiveMeans::FlagAndDate);
    let access = Access::new(AccessConfig::default())?;
    let people = || (0..view.rows(TableId::Employees)).map(EmployeeNo);
    let engineer = people()
        .find(|p| {
            view.person(*p)
                .is_some_and(|x| x.active && x.level == 9 && x.department.name() == "Engineering")
        })
        .ok_or("no engineer")?;
    let resource = Resource::of(&view, TableId::Employees, engineer.0);
    let mut text = String::from("may read the pay of an engineer:\n");
    let mut asked: Vec<(&str, u8, bool)> = Vec::new();
    for person in people() {
        let Some(who) = view.person(person).filter(|x| x.active) else {
            continue;
        };
        let above = view.is_above(person, engineer);
        let kind = (who.department.name(), who.level, above);
        if person == engineer || asked.contains(&kind) {
            continue;
        }
        asked.push(kind);
        let request = AccessRequest {
            principal: person,
            act: Act::ReadSensitive,
            resource,
            context: &RequestContext::default(),
        };
        let decision = access.decide(&view, &request);
        if decision.allow {
            let why = if above { "above them" } else { "" };
            let line = format!(
                "  {:<12} level {:<3}{why:<12} by {:?}\n",
                who.department.name(),
                who.level,
                decision.rules
            );
            text += &line;
        }
    }
    text += &format!("of {} kinds of people asked; ", asked.len());
    let rules = access.rules_for(AccessAction::new(Act::ReadSensitive, TableId::Employees));
    text += "everybody else is refused, because:\n";
    for rule in rules {
        let sign = if rule.forbids { "forbid" } else { "permit" };
        text += &format!("  {sign} {}: {}\n", rule.id, rule.reason);
    }
    Ok(text + "\n")
}

/// One policy changed as text: posts are for their authors alone. Policies of one's own need Cedar.
fn own_policy(company: &Company) -> Result<String, Box<dyn Error>> {
    if cfg!(not(feature = "cedar")) {
        return Ok("policies of your own: run this example with `--features cedar`\n\n".to_owned());
    }
    let open = "permit (principal, action in [Office::Action::\"readPost\", Office::Action::\"readOverflow\"], resource);";
    let closed = "permit (principal, action == Office::Action::\"readOverflow\", resource);";
    let overlay = Overlay::default();
    let view = CompanyView::new(company, &overlay, ActiveMeans::FlagAndDate);
    let readers = |policies: Option<String>| -> Result<usize, Box<dyn Error>> {
        let access = Access::new(AccessConfig {
            policies,
            ..AccessConfig::default()
        })?;
        let people = (0..view.rows(TableId::Employees)).map(EmployeeNo);
        Ok(people
            .filter(|p| access.may_read(&view, *p, TableId::Posts, 0))
            .count())
    };
    let mut text = format!(
        "a post has {} readers; after one line of policy is changed, {}\n",
        readers(None)?,
        readers(Some(POLICIES.replace(open, closed)))?
    );
    // A misspelt attribute does not silently allow or deny: it is refused with its place.
    let misspelt = POLICIES.replacen("resource.owner.seat", "resource.owner.saet", 1);
    let refused = Access::new(AccessConfig {
        policies: Some(misspelt),
        ..AccessConfig::default()
    });
    if let Err(e) = refused {
        text += &format!("{e}\n");
    }
    Ok(text + "\n")
}

/// Calls aimed at records that exist, through every data tool, with and without enforcement.
fn curious(company: &Arc<Company>, each: u64) -> Result<String, Box<dyn Error>> {
    let mut text = String::new();
    for (name, enforcement) in [
        ("enforced", Enforcement::On),
        ("switched off", Enforcement::Off),
    ] {
        let config = AccessConfig {
            enforcement,
            engine: EngineKind::Native,
            ..AccessConfig::default()
        };
        let access = Arc::new(Access::new(config)?);
        let office = Office::new(Arc::clone(company), access, Arc::new(SearchIndex::new()));
        let (mut calls, mut refused, mut records, mut written) = (0, 0, 0, 0);
        let data = COMPACT
            .iter()
            .filter(|t| matches!(t.op, Op::Read | Op::Create | Op::Update | Op::Delete));
        for tool in data {
            for i in 0..each {
                let mut s = Seed(1).stream(tool.name, i);
                let people = u64::from(company.rows(TableId::Employees));
                let me = EmployeeNo(u32::try_from(s.below(people))?);
                let mut state = OfficeState::default();
                let arguments = probe(&office.view(&state.overlay), &mut s, tool, me).arguments;
                let reply = office.call(&mut state, me, tool.name, &arguments)?;
                calls += 1;
                refused += usize::from(reply.refused.is_some());
                let items = reply.body.get("items").and_then(|items| items.as_array());
                records += items.map_or(0, Vec::len);
                written += state.overlay.journal().len();
            }
        }
        text += &format!(
            "rules {name}: {calls} curious calls, {refused} refused, {records} records read, {written} written\n"
        );
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_decide_and_can_be_changed() {
        let company = Arc::new(synthesise(&CompanyConfig::of(200, 7)).unwrap());
        let told = who_may(&company).unwrap();
        assert!(told.contains("HR") && !told.contains("Finance "), "{told}");
        let changed = own_policy(&company).unwrap();
        let parts: &[&str] = if cfg!(feature = "cedar") {
            &["is changed, 0", "saet"]
        } else {
            &["--features cedar"]
        };
        assert!(parts.iter().all(|part| changed.contains(part)), "{changed}");
        let curious = curious(&company, 5).unwrap();
        let refused: Vec<u32> = curious
            .lines()
            .map(|l| {
                let (before, _) = l.split_once(" refused").unwrap();
                before.rsplit(' ').next().unwrap().parse().unwrap()
            })
            .collect();
        assert!(refused[0] > 2 * refused[1], "{curious}");
    }
}
