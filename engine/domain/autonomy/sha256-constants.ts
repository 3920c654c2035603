/** The constants of SHA-256: the first 32 bits of the fractions of roots of primes (FIPS 180-4). */

/** Of square roots (5.3.3), where a hash starts, and of cube roots (4.2.2), one for each round. */
export const [sha256Start, sha256Rounds] = constants()

function constants(): [Int32Array, Int32Array] {
  const primes: number[] = []
  for (let n = 2; primes.length < 64; n++) if (primes.every((prime) => n % prime !== 0)) primes.push(n)
  return [
    Int32Array.from(primes.slice(0, 8), (prime) => fraction(prime, 2)),
    Int32Array.from(primes, (prime) => fraction(prime, 3)),
  ]
}

/** Exact, from integers: the root of n times 2^32 by bisection, without its whole part. */
function fraction(n: number, degree: number): number {
  const target = BigInt(n) << BigInt(32 * degree)
  let low = 0n
  let high = 1n << 40n
  while (high - low > 1n) {
    const middle = (low + high) >> 1n
    if (middle ** BigInt(degree) <= target) low = middle
    else high = middle
  }
  return Number(low & 0xffffffffn) | 0
}
