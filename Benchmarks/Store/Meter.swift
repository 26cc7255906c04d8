import Glibc

/// What a measured stretch cost.
struct Cost {
    /// Processor time of the whole process in its own code, in microseconds.
    let user: Double
    /// Processor time of the whole process in the kernel, in microseconds.
    let system: Double
    /// Of both, what other threads took: the copying of the log.
    let beside: Double
    /// Time that passed, in microseconds.
    let wall: Double

    /// Nothing.
    static let zero = Cost(user: 0, system: 0, beside: 0, wall: 0)

    /// Processor time of the whole process, in microseconds.
    var cpu: Double { user + system }

    static func + (one: Cost, other: Cost) -> Cost {
        Cost(
            user: one.user + other.user, system: one.system + other.system,
            beside: one.beside + other.beside, wall: one.wall + other.wall)
    }
}

/// The longest of several steps, each by itself.
struct Longest {
    private var wall = 0.0
    private var processor = 0.0

    /// Runs a step.
    mutating func step<Result>(_ body: () throws -> Result) rethrows -> Result {
        let begin = (Meter.now, Meter.threadNow)
        defer {
            processor = max(processor, Meter.threadNow - begin.1)
            wall = max(wall, Meter.now - begin.0)
        }
        return try body()
    }

    /// How long the longest took, and how much of its thread's time the dearest.
    var text: String {
        "longest \(Meter.text(wall / 1_000)) ms, dearest \(Meter.text(processor / 1_000))"
    }
}

/// Measures, and prints a line for each measurement.
struct Meter {
    /// Runs `body` and returns what it cost.
    static func cost(_ body: () throws -> Void) rethrows -> Cost {
        let before = (all: usage(ofProcess), own: usage(ofThread))
        let wall = now
        try body()
        let passed = now - wall
        let after = (all: usage(ofProcess), own: usage(ofThread))
        let user = after.all.user - before.all.user
        let system = after.all.system - before.all.system
        let own =
            after.own.user - before.own.user + after.own.system - before.own.system
        return Cost(
            user: user, system: system, beside: max(0, user + system - own), wall: passed)
    }

    /// What each of the steps cost in all; what `prepare` makes for a step is not counted.
    static func cost<Step: Sequence, Prepared>(
        of steps: Step, preparing prepare: (Step.Element) throws -> Prepared,
        _ body: (Prepared) throws -> Void
    ) rethrows -> Cost {
        var sum = Cost.zero
        for step in steps {
            let prepared = try prepare(step)
            sum = sum + (try cost { try body(prepared) })
        }
        return sum
    }

    /// Prints what one of `count` operations cost, beside what it may cost.
    ///
    /// - Parameters:
    ///   - goal: Microseconds of processor time for each; `nil` where none is set.
    ///   - note: What else was seen.
    static func report(
        _ name: String, _ cost: Cost, per count: Int, goal: Double? = nil, note: String = ""
    ) {
        let each = Double(max(1, count))
        let verdict =
            goal.map { cost.cpu / each <= $0 ? "within \(text($0))" : "OVER \(text($0))" } ?? ""
        let columns = [cost.cpu, cost.user, cost.system, cost.beside, cost.wall]
        print(
            pad(name, 46) + columns.map { pad(text($0 / each), 9) }.joined() + pad(verdict, 12)
                + pad("\(residentMegabytes) MB", 8) + note)
        fflush(nil)
    }

    /// The titles of the columns.
    static func reportHead(_ title: String) {
        print("\n\(title)")
        let columns = ["CPU us", "user", "system", "beside", "wall us"]
        print(pad("", 46) + columns.map { pad($0, 9) }.joined() + pad("goal", 12) + "RSS")
    }

    /// A number with about three digits.
    static func text(_ number: Double) -> String {
        let digits = number < 10 ? 100.0 : (number < 100 ? 10 : 1)
        let rounded = (number * digits).rounded() / digits
        return digits == 1 ? "\(Int(rounded))" : "\(rounded)"
    }

    /// Memory that the process holds.
    static var residentMegabytes: Int { residentByteCount >> 20 }

    /// The same in bytes.
    static var residentByteCount: Int {
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 128)
        guard fgets(&line, 128, file) != nil else { return 0 }
        let words = String(decoding: line.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            .split(separator: " ")
        return (Int(words[1]) ?? 0) * 4_096
    }

    /// Processor time of this thread, in microseconds.
    static var threadNow: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
    }

    private static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.utf8.count))
    }

    // Glibc's module has the names of these as another type, and the second not at all.
    private static let ofProcess: Int32 = 0
    private static let ofThread: Int32 = 1

    private static func usage(_ who: Int32) -> (user: Double, system: Double) {
        var usage = rusage()
        getrusage(who, &usage)
        func microseconds(_ time: timeval) -> Double {
            Double(time.tv_sec) * 1e6 + Double(time.tv_usec)
        }
        return (microseconds(usage.ru_utime), microseconds(usage.ru_stime))
    }

    static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
    }
}
