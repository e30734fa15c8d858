//! The fraction behind a residue.
//!
//! ```text
//! Given u modulo m, find n / d with n = u d modulo m and |n| d much smaller than m.
//!
//! Euclid's algorithm on (m, u) passes through all small n and d with n = u d; the one to take
//! is where the next quotient is huge, since |n| d times that quotient is about m. No bound on n
//! or d is needed, and it is found as soon as m has some bits more than n and d together.
//! Monagan: Maximal quotient rational reconstruction, 2004.
//! ```

use dashu_int::ops::{BitTest, DivRem, UnsignedAbs};
use dashu_int::{IBig, UBig};

/// A quotient of more bits than this does not come about by chance.
const HUGE: usize = 48;
/// Leading bits that are looked at for several steps at a time.
const LEADING: usize = 61;

/// Returns n and d > 0, or nothing if m is still too small for them.
pub fn fraction(u: &UBig, m: &UBig) -> Option<(IBig, UBig)> {
    if u.is_zero() {
        return Some((IBig::ZERO, UBig::ONE));
    }
    let (mut r0, mut r1) = (m.clone(), u.clone());
    let (mut t0, mut t1) = (IBig::ZERO, IBig::ONE);
    while !r1.is_zero() {
        if let Some([a, b, c, d]) = several_steps(&r0, &r1) {
            let combined = |a: i64, x: &UBig, b: i64, y: &UBig| {
                let sum = IBig::from(x.clone()) * a + IBig::from(y.clone()) * b;
                UBig::try_from(sum).expect("remainders are not negative")
            };
            (r0, r1) = (combined(a, &r0, b, &r1), combined(c, &r0, d, &r1));
            (t0, t1) = (&t0 * a + &t1 * b, &t0 * c + &t1 * d);
            continue;
        }
        let (quotient, rest) = (&r0).div_rem(&r1);
        if quotient.bit_len() > HUGE {
            let n = IBig::from(r1);
            let n = if t1 < IBig::ZERO { -n } else { n };
            return Some((n, t1.unsigned_abs()));
        }
        (r0, r1) = (r1, rest);
        let t = t0 - &t1 * IBig::from(quotient);
        (t0, t1) = (t1, t);
    }
    None
}

/// Returns the matrix of several steps of Euclid's algorithm, told from the leading bits alone, or nothing
/// if they do not tell even one. It ends before a quotient that is large.
///
/// D. Lehmer (1938); D. Knuth, The Art of Computer Programming 2, 4.5.2, algorithm L.
fn several_steps(r0: &UBig, r1: &UBig) -> Option<[i64; 4]> {
    let shift = r0.bit_len().checked_sub(LEADING)?;
    let leading = |r: &UBig| i64::try_from(r >> shift).expect("few bits");
    let (mut x, mut y) = (leading(r0), leading(r1));
    let [mut a, mut b, mut c, mut d] = [1_i64, 0, 0, 1];
    while y + c != 0 && y + d != 0 {
        let quotient = (x + a) / (y + c);
        if quotient != (x + b) / (y + d) || quotient >> 20 != 0 {
            break;
        }
        (a, c) = (c, a - quotient * c);
        (b, d) = (d, b - quotient * d);
        (x, y) = (y, x - quotient * y);
    }
    (b != 0).then_some([a, b, c, d])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(n: i64, d: u64) {
        let m = UBig::from(3_u8).pow(150);
        let inverse = {
            // d^(phi - 1), with phi(3^150) = 2 3^149.
            let ring = dashu_int::fast_div::ConstDivisor::new(m.clone());
            ring.reduce(d).pow(&(UBig::from(3_u8).pow(149) * 2_u8 - 1_u8)).residue()
        };
        let u = IBig::from(n) * IBig::from(inverse);
        let modulus = IBig::from(m.clone());
        let u = ((u % &modulus) + &modulus) % &modulus;
        let u = UBig::try_from(u).unwrap();
        assert_eq!(fraction(&u, &m), Some((IBig::from(n), UBig::from(d))));
    }

    #[test]
    fn fractions_come_back_in_lowest_terms() {
        check(0, 1);
        check(1, 1);
        check(-1, 1);
        check(22, 7);
        check(-355, 113);
        check(i64::MAX, 1 << 40);
        check(-5, u64::MAX - 2);
    }

    #[test]
    fn a_modulus_too_small_gives_nothing() {
        let m = UBig::from(1_000_003_u64);
        assert_eq!(fraction(&UBig::from(123_456_u64), &m), None);
    }
}
