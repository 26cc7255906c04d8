/// Numbers as people read them.
enum Quantity {
    /// Bytes, such as `4.2 MB`.
    static func bytes(_ count: Int) -> String {
        var value = Double(count)
        var unit = "B"
        for next in ["kB", "MB", "GB", "TB"] where value >= 1_000 {
            value /= 1_000
            unit = next
        }
        guard unit != "B" else { return "\(count) B" }
        let tenths = Int((value * 10).rounded())
        return tenths >= 100
            ? "\((tenths + 5) / 10) \(unit)" : "\(tenths / 10).\(tenths % 10) \(unit)"
    }

    /// A span of time, such as `3 min`.
    static func duration(_ duration: Duration) -> String {
        let seconds = max(0, duration.components.seconds)
        switch seconds {
        case 0..<120: return "\(seconds) s"
        case 120..<7_200: return "\(seconds / 60) min"
        case 7_200..<172_800: return "\(seconds / 3_600) h"
        default: return "\(seconds / 86_400) days"
        }
    }

    /// A number and its noun, such as `1 batch` or `5,127 batches`.
    static func count(_ count: Int, _ singular: String, _ plural: String) -> String {
        "\(number(count)) \(count == 1 ? singular : plural)"
    }

    /// A number, such as `5,127`.
    static func number(_ count: Int) -> String {
        var digits = String(count.magnitude)
        var groups: [Substring] = []
        while digits.count > 3 {
            groups.insert(digits.suffix(3), at: 0)
            digits = String(digits.dropLast(3))
        }
        return (count < 0 ? "-" : "") + ([digits[...]] + groups).joined(separator: ",")
    }
}
