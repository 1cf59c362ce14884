//! Seeds and named random streams.
//!
//! A run has one [`Seed`]. Random numbers come from streams with a name and an index:
//! `seed.stream("demand", week)`. The generator is ChaCha8, keyed by SHA-256 over (seed, name, index), so
//! streams are independent of each other and of the order in which they are used. A new draw in one place
//! does not change numbers elsewhere, and states do not store generators. The distributions are
//! implemented here and pinned by tests, because those of general random libraries may change between
//! versions.

use crate::Seat;
use crate::math;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Infallible, Rng, SeedableRng, TryRng};
use serde::{Deserialize, Serialize};
use sha2::block_api::compress256;
use sha2::{Digest as _, Sha256};

/// The seed of all random numbers in a run.
///
/// ```
/// use sim_core::Seed;
/// let week_3 = Seed(7).stream("demand", 3).below(10);
/// assert_eq!(week_3, Seed(7).stream("demand", 3).below(10));
/// ```
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Seed(pub u64);

impl Seed {
    /// The order in which stream `stream` of a run with this seed meets `count` units, drawn so that
    /// the seed records it. Methods with a memory depend on the order; run several streams.
    ///
    /// ```
    /// use sim_core::Seed;
    ///
    /// let mut order = Seed(7).order(0, 5);
    /// assert_eq!(order, Seed(7).order(0, 5));
    /// order.sort_unstable();
    /// assert_eq!(order, [0, 1, 2, 3, 4]);
    /// ```
    #[must_use]
    pub fn order(self, stream: u64, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        self.stream("item order", stream).shuffle(&mut order);
        order
    }

    /// The stream `name` number `index` (a period, a lane, an employee ...).
    #[must_use]
    pub fn stream(self, name: &str, index: u64) -> Stream {
        Stream {
            rng: ChaCha8Rng::from_seed(self.key(b"stream", name, index)),
        }
    }

    /// A derived seed for a part of the work: episode `index`, the policy, one company.
    ///
    /// ```
    /// use sim_core::Seed;
    ///
    /// // Episodes, and the policy of an episode, have seeds of their own.
    /// assert_ne!(Seed(7).child("episode", 0), Seed(7).child("episode", 1));
    /// assert_eq!(Seed(7).child("policy", 0), Seed(7).child("policy", 0));
    /// ```
    #[must_use]
    pub fn child(self, name: &str, index: u64) -> Self {
        let [a, b, c, d, e, f, g, h, ..] = self.key(b"child", name, index);
        Self(u64::from_le_bytes([a, b, c, d, e, f, g, h]))
    }

    /// The seed of the policy in `seat`, of the episode with this seed. Seats that follow one policy draw
    /// independently of each other.
    #[must_use]
    pub fn of_policy(self, seat: &Seat) -> Self {
        self.child("policy", 0).child(seat.name(), 0)
    }

    /// SHA-256 over (seed, name, index).
    fn key(self, purpose: &[u8], name: &str, index: u64) -> [u8; 32] {
        if let Some(block) = message(self, purpose, name, index) {
            return digest(&block);
        }
        let (seed, len) = (self.0.to_le_bytes(), (name.len() as u64).to_le_bytes());
        let mut hash = Sha256::new();
        for part in parts(&seed, purpose, &len, name, &index.to_le_bytes()) {
            hash.update(part);
        }
        hash.finalize().into()
    }
}

/// The state of SHA-256 before the first block (FIPS 180-4, 5.3.3).
const START: [u32; 8] = [
    0x6a09_e667,
    0xbb67_ae85,
    0x3c6e_f372,
    0xa54f_f53a,
    0x510e_527f,
    0x9b05_688c,
    0x1f83_d9ab,
    0x5be0_cd19,
];

/// What is hashed for a key.
#[inline]
fn parts<'a>(
    seed: &'a [u8; 8],
    purpose: &'a [u8],
    len: &'a [u8; 8],
    name: &'a str,
    index: &'a [u8; 8],
) -> [&'a [u8]; 6] {
    [b"boardroom.v1.", purpose, seed, len, name.as_bytes(), index]
}

/// The one block of the hash that the parts of a key fill, as nearly every name does; `None` for a longer
/// one.
#[inline]
fn message(seed: Seed, purpose: &[u8], name: &str, index: u64) -> Option<[u8; 64]> {
    let (seed, len) = (seed.0.to_le_bytes(), (name.len() as u64).to_le_bytes());
    let index = index.to_le_bytes();
    /// The length of the message \[bits\] takes the last bytes of the last block.
    const ROOM: usize = 56;
    let mut block = [0_u8; 64];
    let mut filled = 0;
    for part in parts(&seed, purpose, &len, name, &index) {
        block
            .get_mut(filled..filled + part.len())?
            .copy_from_slice(part);
        filled += part.len();
    }
    // A bit 1 ends the message.
    *block.get_mut(..ROOM)?.get_mut(filled)? = 0x80;
    let (_, last) = block.split_last_chunk_mut::<8>()?;
    *last = (filled as u64 * 8).to_be_bytes();
    Some(block)
}

/// SHA-256 of one block.
// A lane's reset makes a stream for each name: filling the one block here takes half the time of a
// hasher that expects any number of blocks.
#[inline]
fn digest(block: &[u8; 64]) -> [u8; 32] {
    let mut state = START;
    compress256(&mut state, &[*block]);
    let mut key = [0; 32];
    for (bytes, word) in key.as_chunks_mut::<4>().0.iter_mut().zip(state) {
        *bytes = word.to_be_bytes();
    }
    key
}

/// A source of draws, made by [`Seed::stream`]. It also implements the `rand_core` traits, for
/// libraries that want a generator.
#[derive(Debug, Clone)]
pub struct Stream {
    rng: ChaCha8Rng,
}

impl Stream {
    /// 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.rng.next_u64()
    }

    /// A whole number in `0..bound`, each equally likely; 0 when `bound` is 0.
    ///
    /// Widening multiplication with rejection (Lemire 2019), which has no bias.
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        if bound == 0 {
            return 0;
        }
        // 2^64 modulo `bound`: so many of the 2^64 inputs are left over when the others are shared
        // out equally, and these are drawn again.
        let threshold = bound.wrapping_neg() % bound;
        loop {
            let wide = u128::from(self.bits()) * u128::from(bound);
            #[expect(clippy::cast_possible_truncation, reason = "the low and the high half")]
            let (low, high) = (wide as u64, (wide >> 64) as u64);
            if low >= threshold {
                return high;
            }
        }
    }

    /// A whole number in `low..=high`, each equally likely; `low` when the range is empty.
    #[inline]
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        if high <= low {
            return low;
        }
        let span = high.abs_diff(low);
        // The number of values would be 2^64, which a u64 does not hold.
        let offset = if span == u64::MAX {
            self.bits()
        } else {
            self.below(span + 1)
        };
        low.wrapping_add_unsigned(offset)
    }

    /// A whole number in `low..=high`, each equally likely; `low` when the range is empty. The
    /// same draw as [`between`](Self::between).
    #[inline]
    pub fn between_u32(&mut self, low: u32, high: u32) -> u32 {
        let drawn = self.between(i64::from(low), i64::from(high));
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "low or a number in low..=high, all of them 32 bits"
        )]
        let drawn = drawn as u32;
        drawn
    }

    /// An index into something of length `len`; 0 when `len` is 0.
    #[inline]
    pub fn index(&mut self, len: usize) -> usize {
        #[expect(clippy::cast_possible_truncation, reason = "smaller than len, a usize")]
        let index = self.below(len as u64) as usize;
        index
    }

    /// A real number in `[0, 1)`, on the grid of multiples of 2^-53.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "53 bits fit a double exactly")]
        let numerator = (self.bits() >> 11) as f64;
        numerator * (1.0 / 9_007_199_254_740_992.0)
    }

    /// A real number in `[low, high)`.
    #[inline]
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// True with probability `p` (never for `p <= 0`, always for `p >= 1`).
    #[inline]
    pub fn chance(&mut self, p: f64) -> bool {
        self.unit() < p
    }

    /// A draw of the standard normal distribution (Box and Muller 1958, the cosine branch only,
    /// so that no second value has to be kept).
    pub fn normal(&mut self) -> f64 {
        // `unit` may be 0 and is never 1, so `1 - unit` keeps the logarithm finite.
        let radius = (-2.0 * math::ln(1.0 - self.unit())).sqrt();
        radius * math::cos(std::f64::consts::TAU * self.unit())
    }

    /// A draw of the exponential distribution with mean 1.
    pub fn exponential(&mut self) -> f64 {
        -math::ln_1p(-self.unit())
    }

    /// A draw of the geometric distribution on 1, 2, 3, ... with success probability `p`.
    ///
    /// `p >= 1` gives 1; `p <= 0` or NaN (no success ever) gives `u64::MAX`.
    pub fn geometric(&mut self, p: f64) -> u64 {
        if p >= 1.0 {
            return 1;
        }
        if p.is_nan() || p <= 0.0 {
            return u64::MAX;
        }
        let trials = (math::ln_1p(-self.unit()) / math::ln_1p(-p)).floor() + 1.0;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a float-to-integer cast saturates, and trials is at least 1"
        )]
        let trials = trials as u64;
        trials.max(1)
    }

    /// Puts `items` into a uniformly random order (Fisher and Yates, from the end).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            let other = self.index(end + 1);
            items.swap(end, other);
        }
    }

    /// One of `items`, each equally likely; `None` when there are none.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        let index = self.index(items.len());
        items.get(index)
    }

    /// One of the entries of a table, each equally likely; the same draw as [`pick`](Self::pick).
    #[expect(clippy::indexing_slicing, reason = "below N, which is not 0")]
    pub fn pick_from<T: Copy, const N: usize>(&mut self, table: &[T; N]) -> T {
        const { assert!(N > 0, "a table to draw from is not empty") };
        table[self.index(N)]
    }

    /// An index drawn in proportion to `weights` (negative and NaN count as 0); `None` when all
    /// are 0.
    pub fn weighted(&mut self, weights: &[f64]) -> Option<usize> {
        let total: f64 = weights.iter().map(|w| w.max(0.0)).sum();
        if !(total > 0.0 && total.is_finite()) {
            return None;
        }
        let mut left = self.unit() * total;
        let mut last = None;
        for (index, weight) in weights.iter().enumerate() {
            let weight = weight.max(0.0);
            if weight > 0.0 {
                last = Some(index);
                // Each subtraction rounds, so `left` may outlast all weights. Then the last index
                // with a weight is drawn: one without a weight never is.
                if left < weight {
                    return last;
                }
                left -= weight;
            }
        }
        last
    }
}

impl TryRng for Stream {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.rng.next_u32())
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.rng.next_u64())
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.rng.fill_bytes(bytes);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
