import ArgumentParser
import Glibc
import Hearth
import Synchronization

/// Writes in this process and waits until listeners in others have heard of it.
struct WriteToListeners: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "write-to-listeners")

    @OptionGroup var target: Target
    @Option(help: "How many listeners, in all processes together.") var listeners = 1
    @Option(help: "How many processes listen.") var processes = 1
    @Option(help: "What else the name says.") var note = ""

    func run() async throws {
        let firestore = target.connect("bench-writer")
        let document = firestore.document("bench/signal\(listeners)")
        _ = try await document.setData(data(0), until: .accepted)
        let children = try (0..<processes).map { _ in
            try Child(
                ["listeners"] + target.words(count: listeners / processes)
                    + ["--document", document.path])
        }
        for child in children { _ = try child.readLine() }  // All of it are listening.
        try await Measurement.take(operations: target.count, target.daemon) { latencies in
            for step in 1...target.count {
                let sentAt = Clock.nanoseconds
                _ = try await document.setData(data(step), until: .accepted)
                for child in children {
                    guard let heardAt = UInt64(try child.readLine()) else {
                        throw ValidationError("A listener said something else than a time.")
                    }
                    latencies.append(heardAt - sentAt)
                }
            }
        }.report("write to \(listeners) listeners in \(processes) processes\(note)")
    }

    private func data(_ step: Int) -> [String: any Sendable] {
        var data = Sample.data(step)
        data["step"] = step
        return data
    }
}

/// Another process: prints when all its listeners have heard of a write.
struct Listeners: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "listeners", shouldDisplay: false)

    @OptionGroup var target: Target
    @Option var document: String

    func run() async throws {
        let reference = target.connect("bench-listener").document(document)
        let heard = Mutex<[Int: Int]>([:])
        let count = target.count
        var registrations: [ListenerRegistration] = []
        for _ in 0..<count {
            registrations.append(
                reference.addSnapshotListener { snapshot, _ in
                    guard let step = snapshot?.get("step") as? Int else { return }
                    let all = heard.withLock { heard in
                        heard[step, default: 0] += 1
                        guard heard[step] == count else { return false }
                        heard[step] = nil
                        return true
                    }
                    guard all else { return }
                    Child.say("\(Clock.nanoseconds)")
                })
        }
        while readLine() != nil {}  // Until our parent is gone.
        for registration in registrations { registration.remove() }
    }
}
