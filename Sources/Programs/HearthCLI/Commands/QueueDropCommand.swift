import ArgumentParser
import Hearth

/// `hearth queue drop`.
struct QueueDropCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drop", abstract: "Take batches out of the queue, and keep nothing of them.",
        discussion: "Who wrote them is told CANCELLED. JSON: batch.")

    @OptionGroup var batches: BatchArguments
    @Flag(help: "Yes, what they write is to be lost.")
    var yes = false
    @OptionGroup var connection: OperatorOptions

    func validate() throws {
        guard yes else {
            throw ValidationError("What is dropped is lost; say --yes, or use cancel.")
        }
    }

    func run() async throws {
        try await batches.steer("drop", "dropped", .queue, connection) {
            try await $0.dropPendingBatches($1)
        }
    }
}
