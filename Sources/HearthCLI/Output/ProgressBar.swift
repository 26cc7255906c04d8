/// A line that shows how far something has come. Decides what it says; `Terminal` shows it.
struct ProgressBar {
    /// What is being done, such as "importing".
    let label: String
    /// How many things there are.
    let total: Int
    /// How many characters a line has.
    let width: Int

    /// The line for so many done things after some time.
    func line(done: Int, elapsed: Duration) -> String {
        let share = total == 0 ? 1 : min(1, Double(done) / Double(total))
        let seconds =
            Double(elapsed.components.seconds)
            + Double(elapsed.components.attoseconds) / 1e18
        let rate = seconds > 0.1 ? " \(Int(Double(done) / seconds))/s" : ""
        let numbers = " \(done)/\(total) \(Int(share * 100))%\(rate)"
        let room = min(40, width - label.count - numbers.count - 4)
        guard room >= 5 else { return label + numbers }
        let filled = Int(Double(room) * share)
        let bar =
            String(repeating: "#", count: filled)
            + String(repeating: ".", count: room - filled)
        return "\(label) [\(bar)]\(numbers)"
    }
}
