import Glibc

/// What a measured stretch cost.
struct Cost {
    /// Processor time of the whole process, in microseconds.
    let cpu: Double
    /// Time that passed, in microseconds.
    let wall: Double
}

/// Measures, and prints a line for each measurement.
struct Meter {
    /// Runs `body` and returns what it cost.
    static func cost(_ body: () throws -> Void) rethrows -> Cost {
        let cpu = now(CLOCK_PROCESS_CPUTIME_ID)
        let wall = now(CLOCK_MONOTONIC)
        try body()
        return Cost(cpu: now(CLOCK_PROCESS_CPUTIME_ID) - cpu, wall: now(CLOCK_MONOTONIC) - wall)
    }

    /// Prints what one of `count` operations cost, beside what it may cost.
    ///
    /// - Parameters:
    ///   - goal: Microseconds of processor time for each; `nil` where none is set.
    ///   - note: What else was seen.
    static func report(
        _ name: String, _ cost: Cost, per count: Int, goal: Double? = nil, note: String = ""
    ) {
        let cpu = cost.cpu / Double(max(1, count))
        let wall = cost.wall / Double(max(1, count))
        let verdict = goal.map { cpu <= $0 ? "within \(text($0))" : "OVER \(text($0))" } ?? ""
        print(
            pad(name, 52) + pad(text(cpu), 11) + pad(text(wall), 11) + pad(verdict, 14)
                + pad("\(residentMegabytes) MB", 9) + note)
        fflush(nil)
    }

    /// The titles of the columns.
    static func reportHead(_ title: String) {
        print("\n\(title)")
        print(pad("", 52) + pad("CPU us", 11) + pad("wall us", 11) + pad("goal", 14) + "RSS")
    }

    /// A number with about three digits.
    static func text(_ number: Double) -> String {
        let digits = number < 10 ? 100.0 : (number < 100 ? 10 : 1)
        let rounded = (number * digits).rounded() / digits
        return digits == 1 ? "\(Int(rounded))" : "\(rounded)"
    }

    /// Memory that the process holds.
    static var residentMegabytes: Int {
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 128)
        guard fgets(&line, 128, file) != nil else { return 0 }
        let words = String(decoding: line.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            .split(separator: " ")
        return ((Int(words[1]) ?? 0) * 4_096) >> 20
    }

    private static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.utf8.count))
    }

    private static func now(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
    }
}
