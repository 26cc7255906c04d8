import ArgumentParser
import Hearth
import Synchronization

/// Sets a node in this process and waits until listeners in others have heard of it.
struct SetToListeners: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "set-to-listeners")

    @OptionGroup var target: Target
    @Option(help: "How many listeners, in all processes together.") var listeners = 1
    @Option(help: "How many processes listen.") var processes = 1

    func run() async throws {
        let place = target.connectInstance("bench-setter")
            .reference(withPath: "bench/signal\(listeners)")
        try await place.setValue(data(0), until: .accepted)
        let children = try (0..<processes).map { _ in
            try Child(
                ["node-listeners"] + target.words(count: listeners / processes)
                    + ["--path", "bench/signal\(listeners)"])
        }
        for child in children { _ = try child.readLine() }  // All of it are listening.
        try await Measurement.take(operations: target.count, target.daemon) { latencies in
            for step in 1...target.count {
                let sentAt = Clock.nanoseconds
                try await place.setValue(data(step), until: .accepted)
                for child in children {
                    guard let heardAt = UInt64(try child.readLine()) else {
                        throw ValidationError("A listener said something else than a time.")
                    }
                    latencies.append(heardAt - sentAt)
                }
            }
        }.report("set to \(listeners) listeners in \(processes) processes")
        let bytes = children.map(\.residentBytes).max() ?? 0
        Measurement.reportBytes(
            "memory of a program with \(listeners / processes) listeners", daemon: 0, program: bytes
        )
    }

    private func data(_ step: Int) -> [String: any Sendable] {
        var data = Sample.data(step)
        data["step"] = step
        return data
    }
}

/// Another process: prints when all its listeners have heard of a set.
struct NodeListeners: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "node-listeners", shouldDisplay: false)

    @OptionGroup var target: Target
    @Option var path: String

    func run() async throws {
        let database = target.connectInstance("bench-node-listener")
        let heard = Mutex<[Int: Int]>([:])
        let count = target.count
        for _ in 0..<count {
            database.reference(withPath: path).observe(.value) { snapshot in
                guard let step = snapshot.childSnapshot(forPath: "step").value as? Int else {
                    return
                }
                let all = heard.withLock { heard in
                    heard[step, default: 0] += 1
                    guard heard[step] == count else { return false }
                    heard[step] = nil
                    return true
                }
                if all { Child.say("\(Clock.nanoseconds)") }
            }
        }
        while readLine() != nil {}  // Until our parent is gone.
        withExtendedLifetime(database) {}
    }
}
