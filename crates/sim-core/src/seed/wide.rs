//! The first draws of many streams at once.
//!
//! A reset may draw one number from each of many streams, such as the demand of every week. Making a stream is
//! a block of SHA-256 and blocks of `ChaCha8`, nearly all of which such a draw does not use. Here eight or sixteen
//! streams are made side by side in vector registers, and only the block that is used. The bits are those of
//! [`Stream`](super::Stream).
//!
//! The hashes are made one after the other where the processor has instructions for SHA-256 and no vectors of
//! sixteen words: that takes less time.

use super::{START, Seed, message, number_at};
use multiversion::multiversion;
use sha2::block_api::compress256;

/// One word of each of the streams side by side.
type Words<const WIDE: usize> = [u32; WIDE];

/// Round constants of SHA-256 (FIPS 180-4, 4.2.2).
const ROUNDS: [u32; 64] = [
    0x428a_2f98,
    0x7137_4491,
    0xb5c0_fbcf,
    0xe9b5_dba5,
    0x3956_c25b,
    0x59f1_11f1,
    0x923f_82a4,
    0xab1c_5ed5,
    0xd807_aa98,
    0x1283_5b01,
    0x2431_85be,
    0x550c_7dc3,
    0x72be_5d74,
    0x80de_b1fe,
    0x9bdc_06a7,
    0xc19b_f174,
    0xe49b_69c1,
    0xefbe_4786,
    0x0fc1_9dc6,
    0x240c_a1cc,
    0x2de9_2c6f,
    0x4a74_84aa,
    0x5cb0_a9dc,
    0x76f9_88da,
    0x983e_5152,
    0xa831_c66d,
    0xb003_27c8,
    0xbf59_7fc7,
    0xc6e0_0bf3,
    0xd5a7_9147,
    0x06ca_6351,
    0x1429_2967,
    0x27b7_0a85,
    0x2e1b_2138,
    0x4d2c_6dfc,
    0x5338_0d13,
    0x650a_7354,
    0x766a_0abb,
    0x81c2_c92e,
    0x9272_2c85,
    0xa2bf_e8a1,
    0xa81a_664b,
    0xc24b_8b70,
    0xc76c_51a3,
    0xd192_e819,
    0xd699_0624,
    0xf40e_3585,
    0x106a_a070,
    0x19a4_c116,
    0x1e37_6c08,
    0x2748_774c,
    0x34b0_bcb5,
    0x391c_0cb3,
    0x4ed8_aa4a,
    0x5b9c_ca4f,
    0x682e_6ff3,
    0x748f_82ee,
    0x78a5_636f,
    0x84c8_7814,
    0x8cc7_0208,
    0x90be_fffa,
    0xa450_6ceb,
    0xbef9_a3f7,
    0xc671_78f2,
];

/// The first words of a block of `ChaCha` ("expand 32-byte k").
const EXPAND: [u32; 4] = [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574];

/// Ways to make the hashes of many streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hashing {
    /// One after the other.
    #[cfg_attr(
        not(target_arch = "x86_64"),
        allow(
            dead_code,
            reason = "measured on x86_64 alone; elsewhere only the tests choose it"
        )
    )]
    OneByOne,
    /// All in vector registers.
    SideBySide,
}

impl Hashing {
    /// The way that takes less time on this processor.
    fn fastest() -> Self {
        #[cfg(target_arch = "x86_64")]
        if std::is_x86_feature_detected!("sha") && !std::is_x86_feature_detected!("avx512f") {
            return Self::OneByOne;
        }
        Self::SideBySide
    }
}

/// The first 64 bits of the first `count` of `WIDE` streams `name`, from number `first` on; what follows them
/// has no meaning. `None` when a name is too long for one block of the hash.
pub(super) fn first_bits<const WIDE: usize>(
    seed: Seed,
    name: &str,
    first: u64,
    count: usize,
) -> Option<[u64; WIDE]> {
    first_bits_by(Hashing::fastest(), seed, name, first, count)
}

/// [`first_bits`] with this way to make the hashes.
pub(super) fn first_bits_by<const WIDE: usize>(
    hashing: Hashing,
    seed: Seed,
    name: &str,
    first: u64,
    count: usize,
) -> Option<[u64; WIDE]> {
    let block = message(seed, b"stream", name, 0)?;
    match hashing {
        Hashing::OneByOne => one_by_one(block, number_at(name), first, count),
        Hashing::SideBySide => side_by_side(block, number_at(name), first),
    }
}

/// For the streams whose block is `block` with their number written from byte `at` on.
fn one_by_one<const WIDE: usize>(
    block: [u8; 64],
    at: usize,
    first: u64,
    count: usize,
) -> Option<[u64; WIDE]> {
    // All blocks before the first hash: a hash would wait for the bytes that were just written.
    let mut blocks = [block; WIDE];
    for (lane, block) in blocks.iter_mut().enumerate().take(count) {
        let number = first.wrapping_add(lane as u64);
        block
            .get_mut(at..at + 8)?
            .copy_from_slice(&number.to_le_bytes());
    }
    let mut key = [[0; WIDE]; 8];
    for (lane, block) in blocks.iter().enumerate().take(count) {
        let mut state = START;
        compress256(&mut state, std::slice::from_ref(block));
        for (row, word) in key.iter_mut().zip(state) {
            if let Some(slot) = row.get_mut(lane) {
                *slot = word;
            }
        }
    }
    Some(draw_keyed(&key))
}

/// As [`one_by_one`], always for `WIDE` streams.
fn side_by_side<const WIDE: usize>(
    mut block: [u8; 64],
    at: usize,
    first: u64,
) -> Option<[u64; WIDE]> {
    let (words, _) = block.as_chunks::<4>();
    let mut blocks = [[0_u32; WIDE]; 16];
    for (row, bytes) in blocks.iter_mut().zip(words) {
        *row = [u32::from_be_bytes(*bytes); WIDE];
    }
    // Only the words that hold the number of the stream differ.
    for lane in 0..WIDE {
        let number = first.wrapping_add(lane as u64);
        block
            .get_mut(at..at + 8)?
            .copy_from_slice(&number.to_le_bytes());
        let words = block.as_chunks::<4>().0.iter().zip(&mut blocks);
        // 8 bytes that begin anywhere lie in at most three words of four.
        for (bytes, row) in words.skip(at / 4).take(3) {
            if let Some(word) = row.get_mut(lane) {
                *word = u32::from_be_bytes(*bytes);
            }
        }
    }
    Some(draw(&blocks))
}

/// SHA-256 of one block for each stream, and the first two words of `ChaCha8` under each digest.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2"))]
fn draw<const WIDE: usize>(blocks: &[Words<WIDE>; 16]) -> [u64; WIDE] {
    // Both parts are `inline(always)`: a function that is called from here would be compiled for
    // the oldest processor, whatever this one is compiled for.
    let key = digests(blocks);
    first_words(&key)
}

/// The first two words of `ChaCha8` under each digest.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2"))]
fn draw_keyed<const WIDE: usize>(key: &[Words<WIDE>; 8]) -> [u64; WIDE] {
    first_words(key)
}

/// One word of each stream. A loop over an array is compiled to vector instructions; `array::from_fn` is
/// not, and takes six times as long.
macro_rules! each {
    ($k:ident => $word:expr) => {{
        let mut words = [0_u32; WIDE];
        for $k in 0..WIDE {
            words[$k] = $word;
        }
        words
    }};
}

#[inline(always)]
#[expect(
    clippy::indexing_slicing,
    reason = "all indices are below the lengths of the arrays"
)]
fn digests<const WIDE: usize>(blocks: &[Words<WIDE>; 16]) -> [Words<WIDE>; 8] {
    let mut w = *blocks;
    let mut state: [Words<WIDE>; 8] = START.map(|word| [word; WIDE]);
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = state;
    for (round, constant) in ROUNDS.into_iter().enumerate() {
        let at = round % 16;
        if round >= 16 {
            let (w0, w1, w9, w14) = (w[at], w[(at + 1) % 16], w[(at + 9) % 16], w[(at + 14) % 16]);
            w[at] = each!(k => {
                let low = w1[k].rotate_right(7) ^ w1[k].rotate_right(18) ^ (w1[k] >> 3);
                let high = w14[k].rotate_right(17) ^ w14[k].rotate_right(19) ^ (w14[k] >> 10);
                w0[k]
                    .wrapping_add(low)
                    .wrapping_add(w9[k])
                    .wrapping_add(high)
            });
        }
        let word = w[at];
        let t1 = each!(k => {
            let sum = e[k].rotate_right(6) ^ e[k].rotate_right(11) ^ e[k].rotate_right(25);
            let choice = (e[k] & f[k]) ^ (!e[k] & g[k]);
            let part = h[k].wrapping_add(sum).wrapping_add(choice);
            part.wrapping_add(constant).wrapping_add(word[k])
        });
        let t2 = each!(k => {
            let sum = a[k].rotate_right(2) ^ a[k].rotate_right(13) ^ a[k].rotate_right(22);
            let majority = (a[k] & b[k]) ^ (a[k] & c[k]) ^ (b[k] & c[k]);
            sum.wrapping_add(majority)
        });
        (h, g, f) = (g, f, e);
        e = each!(k => d[k].wrapping_add(t1[k]));
        (d, c, b) = (c, b, a);
        a = each!(k => t1[k].wrapping_add(t2[k]));
    }
    for (sum, part) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *sum = each!(k => sum[k].wrapping_add(part[k]));
    }
    state
}

#[inline(always)]
#[expect(
    clippy::indexing_slicing,
    reason = "all indices are below the lengths of the arrays"
)]
fn first_words<const WIDE: usize>(key: &[Words<WIDE>; 8]) -> [u64; WIDE] {
    let mut x = [[0_u32; WIDE]; 16];
    for (slot, word) in x.iter_mut().zip(EXPAND) {
        *slot = [word; WIDE];
    }
    for (slot, word) in x.iter_mut().skip(4).zip(key) {
        // A digest is written with its high bytes first, and a key is read with its low bytes first.
        *slot = word.map(u32::swap_bytes);
    }
    // The counter and the number of the stream are 0.
    macro_rules! quarter {
        ($a:literal, $b:literal, $c:literal, $d:literal) => {
            for (to, from, by, left) in [
                ($a, $b, $d, 16),
                ($c, $d, $b, 12),
                ($a, $b, $d, 8),
                ($c, $d, $b, 7),
            ] {
                x[to] = each!(k => x[to][k].wrapping_add(x[from][k]));
                x[by] = each!(k => (x[by][k] ^ x[to][k]).rotate_left(left));
            }
        };
    }
    // Four double rounds are the eight of ChaCha8.
    for _ in 0..4 {
        quarter!(0, 4, 8, 12);
        quarter!(1, 5, 9, 13);
        quarter!(2, 6, 10, 14);
        quarter!(3, 7, 11, 15);
        quarter!(0, 5, 10, 15);
        quarter!(1, 6, 11, 12);
        quarter!(2, 7, 8, 13);
        quarter!(3, 4, 9, 14);
    }
    // The block is the sum of its start and its end. 64 bits are its first two words, so the other
    // fourteen sums are left out.
    let low = each!(k => x[0][k].wrapping_add(EXPAND[0]));
    let high = each!(k => x[1][k].wrapping_add(EXPAND[1]));
    std::array::from_fn(|k| u64::from(low[k]) | u64::from(high[k]) << 32)
}
