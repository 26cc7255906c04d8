/// What rules need of a mathematical library, since no system's can be reached from here.
///
/// Good to about fifteen digits; whole powers are exact as long as they fit.
enum RuleMath {
    /// The natural logarithm of 2.
    private static let logarithmOfTwo = 0.693_147_180_559_945_3

    static func sine(_ angle: Double) -> Double {
        let turn = 2 * Double.pi
        var x = angle - (angle / turn).rounded() * turn
        // The series is best near zero.
        if x > .pi / 2 { x = .pi - x }
        if x < -.pi / 2 { x = -.pi - x }
        var term = x
        var sum = x
        for index in 1...14 {
            term *= -x * x / Double(2 * index * (2 * index + 1))
            sum += term
        }
        return sum
    }

    static func cosine(_ angle: Double) -> Double { sine(angle + .pi / 2) }

    /// The angle of a sine between -1 and 1.
    static func arcsine(_ sine: Double) -> Double {
        if abs(sine) >= 1 { return sine < 0 ? -.pi / 2 : .pi / 2 }
        var x = sine / (1 + (1 - sine * sine).squareRoot())
        var factor = 2.0
        // Halve the angle until the series converges fast.
        for _ in 0..<3 {
            x /= 1 + (1 + x * x).squareRoot()
            factor *= 2
        }
        var term = x
        var sum = x
        for index in 1...14 {
            term *= -x * x
            sum += term / Double(2 * index + 1)
        }
        return factor * sum
    }

    static func power(_ base: Double, _ exponent: Double) -> Double {
        if exponent == 0 || base == 1 { return 1 }
        if base.isNaN || exponent.isNaN { return .nan }
        if exponent == exponent.rounded(), abs(exponent) <= 1_024 {
            return wholePower(base, Int(exponent))
        }
        let isWhole = exponent == exponent.rounded()
        if base < 0, !isWhole, base.isFinite { return .nan }
        let isOdd = isWhole && abs(exponent) < 0x1p53 && exponent / 2 != (exponent / 2).rounded()
        let sign = base < 0 && isOdd ? -1.0 : 1.0
        let size = abs(base)
        if exponent.isInfinite {
            if size == 1 { return 1 }
            return (size > 1) == (exponent > 0) ? .infinity : 0
        }
        if size == 0 { return exponent > 0 ? 0 : .infinity }
        if size.isInfinite { return exponent > 0 ? sign * .infinity : 0 }
        if exponent == 0.5 { return size.squareRoot() }
        return sign * exponential(exponent * logarithm(size))
    }

    private static func wholePower(_ base: Double, _ exponent: Int) -> Double {
        var result = 1.0
        var square = base
        var rest = abs(exponent)
        while rest > 0 {
            if rest & 1 == 1 { result *= square }
            square *= square
            rest >>= 1
        }
        return exponent < 0 ? 1 / result : result
    }

    private static func logarithm(_ x: Double) -> Double {
        let exponent = Double(x.exponent)
        let ratio = (x.significand - 1) / (x.significand + 1)
        var term = ratio
        var sum = ratio
        for index in 1...20 {
            term *= ratio * ratio
            sum += term / Double(2 * index + 1)
        }
        return exponent * logarithmOfTwo + 2 * sum
    }

    private static func exponential(_ x: Double) -> Double {
        if x > 710 { return .infinity }
        if x < -746 { return 0 }
        let shift = (x / logarithmOfTwo).rounded()
        let rest = x - shift * logarithmOfTwo
        var term = 1.0
        var sum = 1.0
        for index in 1...18 {
            term *= rest / Double(index)
            sum += term
        }
        // In two steps, since half of the range of exponents is too small for one.
        let half = Int(shift) / 2
        return Double(sign: .plus, exponent: half, significand: sum)
            * Double(sign: .plus, exponent: Int(shift) - half, significand: 1)
    }

    /// A float as `string()` writes it: with an exponent from 10 million on and below a thousandth.
    static func text(of number: Double) -> String {
        if number.isNaN { return "NaN" }
        if number.isInfinite { return number < 0 ? "-Infinity" : "Infinity" }
        if number == 0 { return number.sign == .minus ? "-0.0" : "0.0" }
        let sign = number < 0 ? "-" : ""
        let (digits, exponent) = digits(of: abs(number))
        if exponent >= -3, exponent < 7 {
            if exponent < 0 {
                let zeros = String(repeating: "0", count: -exponent - 1)
                return "\(sign)0.\(zeros)\(digits)"
            }
            let padding = String(repeating: "0", count: max(0, exponent + 1 - digits.count))
            let whole = (digits + padding).prefix(exponent + 1)
            let rest = digits.dropFirst(exponent + 1)
            return "\(sign)\(whole).\(rest.isEmpty ? "0" : rest)"
        }
        let rest = digits.dropFirst()
        return "\(sign)\(digits.prefix(1)).\(rest.isEmpty ? "0" : rest)E\(exponent)"
    }

    /// The shortest digits that name a number, and the power of ten of the first.
    static func digits(of number: Double) -> (digits: String, exponent: Int) {
        let parts = "\(number)".split(separator: "e")
        let mantissa = parts[0].split(separator: ".", omittingEmptySubsequences: false)
        let shift = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
        let whole = mantissa[0]
        let all = whole + (mantissa.count > 1 ? mantissa[1] : "")
        let leading = all.prefix { $0 == "0" }.count
        var digits = String(all.dropFirst(leading))
        while digits.count > 1, digits.hasSuffix("0") { digits.removeLast() }
        return (digits, shift + whole.count - 1 - leading)
    }
}
