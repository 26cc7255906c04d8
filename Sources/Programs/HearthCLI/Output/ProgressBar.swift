/// A line that shows how far something has come. Decides what it says; `Terminal` shows it.
struct ProgressBar {
    /// What is being done, such as "importing".
    let label: String
    /// How many things there are.
    let total: Int
    /// How many characters a line has.
    let width: Int

    /// The line for so many done things.
    ///
    /// - Parameter rate: How many are done in a second at present; `nil` if nobody knows.
    func line(done: Int, rate: Double?) -> String {
        let share = total == 0 ? 1 : min(1, Double(done) / Double(total))
        let numbers = " \(done)/\(total) \(Int(share * 100))%\(pace(done, rate))"
        let room = min(40, width - label.count - numbers.count - 4)
        guard room >= 5 else { return (label + numbers).cut(to: max(1, width)) }
        let filled = Int(Double(room) * share)
        let bar =
            String(repeating: "#", count: filled)
            + String(repeating: ".", count: room - filled)
        return "\(label) [\(bar)]\(numbers)"
    }

    private func pace(_ done: Int, _ rate: Double?) -> String {
        guard let rate else { return "" }
        let digits = rate > 0 && rate < 10 ? "\((rate * 10).rounded() / 10)" : "\(Int(rate))"
        guard done < total else { return " \(digits)/s" }
        guard rate > 0 else { return " 0/s, it stands" }
        let seconds = min(Double(total - done) / rate, 1e9).rounded(.up)
        return " \(digits)/s, \(Quantity.duration(.seconds(Int64(seconds)))) left"
    }
}
