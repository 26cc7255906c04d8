import ArgumentParser
import Glibc
import Hearth

/// Connects many clients that then say nothing, and tells what the daemon holds for each.
struct IdleConnections: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "idle-connections")

    @OptionGroup var target: Target

    func run() async throws {
        let before = Measurement.residentBytes(of: target.daemon)
        let children = try (0..<max(1, target.count / Idlers.countMax)).map { _ in
            try Child(["idlers"] + target.words(count: min(target.count, Idlers.countMax)))
        }
        let clients = try children.reduce(0) { $0 + (Int(try $1.readLine()) ?? 0) }
        let held = Measurement.residentBytes(of: target.daemon) - before
        let cpuBefore = Measurement.cpuSeconds(of: target.daemon)
        let start = Clock.nanoseconds
        while Clock.nanoseconds - start < 2_000_000_000 { usleep(100_000) }
        let cpu = Measurement.cpuSeconds(of: target.daemon) - cpuBefore
        for child in children { try child.writeLine("end") }
        print(
            "{\"name\": \"idle connections\", \"clients\": \(clients), "
                + "\"bytesPerClient\": \(held / max(1, clients)), "
                + "\"daemonCPUusPerSecond\": \(Int(cpu / 2 * 1e6))}")
    }
}

/// A process with many connections, each of which has asked once.
struct Idlers: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "idlers", shouldDisplay: false)

    /// In one process, so that it needs no more descriptors than it may have.
    static let countMax = 100

    @OptionGroup var target: Target

    func run() async throws {
        var clients: [Firestore] = []
        for index in 0..<target.count {
            let firestore = target.connect("bench-idle")
            _ = try? await firestore.document(HotDocuments.path(index)).getDocument(source: .cache)
            clients.append(firestore)
        }
        Child.say("\(clients.count)")
        while readLine() != nil {}
        for client in clients { client.terminate() }
    }
}
