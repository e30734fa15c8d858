//! Numbers that look random, for names, keys and choices that must not depend on the machine.

/// Returns the number with its bits mixed: the step of the generator SplitMix64.
#[inline]
pub fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Returns the next number of SplitMix64.
#[inline]
pub fn draw(state: &mut u64) -> u64 {
    let next = mix(*state);
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    next
}

/// Where FNV-1a begins.
pub const FNV_BASIS: u64 = 0xcbf2_9ce4_8422_2325;

/// Returns the hash of bytes after others, whose hash is `before`: FNV-1a.
pub fn fnv1a(before: u64, bytes: &[u8]) -> u64 {
    let step = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(before, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_of_the_literature() {
        let mut state = 1_234_567;
        assert_eq!(draw(&mut state), 6_457_827_717_110_365_317);
        assert_eq!(draw(&mut state), 3_203_168_211_198_807_973);
        assert_eq!(fnv1a(FNV_BASIS, b"foobar"), 0x8594_4171_f739_67e8);
    }
}
