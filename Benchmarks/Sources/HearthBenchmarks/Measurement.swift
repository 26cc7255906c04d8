import Glibc

/// The machine's monotonic time, the same in every process.
enum Clock {
    static var nanoseconds: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

/// About 300 bytes, never twice the same.
enum Sample {
    static func data(_ step: Int) -> [String: any Sendable] {
        [
            "number": step, "share": Double(step) / 7, "isOpen": step.isMultiple(of: 2),
            "name": "Room number \(step)", "city": "City \(step % 997)",
            "text": String(repeating: "lorem \(step) ", count: 15),
            "place": ["street": "Street \(step % 89)", "floor": step % 12]
                as [String: any Sendable],
        ]
    }
}

/// What a run took.
struct Measurement {
    let operations: Int
    let seconds: Double
    let daemonCPU: Double
    let clientCPU: Double
    let latencies: [UInt64]

    static func take(
        operations: Int, _ daemon: Int32, _ body: (inout [UInt64]) async throws -> Void
    ) async throws -> Measurement {
        let beginning = Beginning(daemon)
        var latencies: [UInt64] = []
        try await body(&latencies)
        return beginning.measurement(operations: operations, latencies)
    }

    /// The moment from which a run is measured.
    struct Beginning {
        private let daemon: Int32
        private let daemonCPU: Double
        private let clientCPU = Measurement.cpuSeconds(of: getpid())
        private let start = Clock.nanoseconds

        /// Begins a run of this program and of a daemon.
        init(_ daemon: Int32) {
            self.daemon = daemon
            daemonCPU = Measurement.cpuSeconds(of: daemon)
        }

        /// What was taken up to now.
        ///
        /// - Parameter latencies: How long each operation took; `nil` for one operation that took all of
        ///   the time.
        func measurement(operations: Int = 1, _ latencies: [UInt64]? = nil) -> Measurement {
            let time = Clock.nanoseconds - start
            return Measurement(
                operations: operations, seconds: Double(time) / 1e9,
                daemonCPU: Measurement.cpuSeconds(of: daemon) - daemonCPU,
                clientCPU: Measurement.cpuSeconds(of: getpid()) - clientCPU,
                latencies: (latencies ?? [time]).sorted())
        }
    }

    func report(_ name: String) {
        func microseconds(_ share: Double) -> Double {
            guard !latencies.isEmpty else { return 0 }
            let index = min(latencies.count - 1, Int(Double(latencies.count) * share))
            return Double(latencies[index]) / 1_000
        }
        func rounded(_ value: Double) -> Double { (value * 10).rounded() / 10 }
        let perOperation = 1e6 / Double(max(operations, 1))
        print(
            "{\"name\": \"\(name)\", \"perSecond\": \(Int(Double(operations) / seconds)), "
                + "\"p50us\": \(rounded(microseconds(0.5))), "
                + "\"p99us\": \(rounded(microseconds(0.99))), "
                + "\"daemonCPUus\": \(rounded(daemonCPU * perOperation)), "
                + "\"clientCPUus\": \(rounded(clientCPU * perOperation))}")
    }

    /// The same with the CPU time of other processes in the place of this one's.
    func with(clientCPU: Double) -> Measurement {
        Measurement(
            operations: operations, seconds: seconds, daemonCPU: daemonCPU, clientCPU: clientCPU,
            latencies: latencies)
    }

    /// Prints by how many bytes daemon and program have grown.
    static func reportBytes(_ name: String, daemon: Int, program: Int) {
        print(
            "{\"name\": \"\(name)\", \"daemonBytes\": \(daemon), \"programBytes\": \(program)}")
    }

    /// Memory that the process holds now.
    static func residentBytes(of process: pid_t) -> Int {
        pageCounts(of: process).resident * pageSize
    }

    /// Memory of the process's own: its heap and stacks, and no pages of files.
    static func ownBytes(of process: pid_t) -> Int {
        let counts = pageCounts(of: process)
        return (counts.resident - counts.ofFiles) * pageSize
    }

    private static let pageSize = sysconf(Int32(_SC_PAGESIZE))

    private static func pageCounts(of process: pid_t) -> (resident: Int, ofFiles: Int) {
        guard let file = fopen("/proc/\(process)/statm", "r") else { return (0, 0) }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = fread(&bytes, 1, bytes.count, file)
        let fields = String(decoding: bytes[..<count], as: UTF8.self).split(separator: " ")
        guard fields.count > 2, let resident = Int(fields[1]), let ofFiles = Int(fields[2])
        else { return (0, 0) }
        return (resident, ofFiles)
    }

    /// User and system time of all threads. Grain: a clock tick.
    static func cpuSeconds(of process: pid_t) -> Double {
        guard let file = fopen("/proc/\(process)/stat", "r") else { return 0 }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1_024)
        let count = fread(&bytes, 1, bytes.count, file)
        let text = String(decoding: bytes[..<count], as: UTF8.self)
        // The name in parentheses may hold spaces; the fields after it may not.
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 13, let user = Double(fields[11]), let system = Double(fields[12])
        else { return 0 }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }
}
