import ArgumentParser
import Hearth

/// `hearth queue cancel`.
struct QueueCancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Take batches out of the queue, and keep them among the dead letters.",
        discussion: """
            Every program sees at once that they are undone, and who wrote them is told CANCELLED. \
            `hearth dead-letters retry` queues them anew. JSON: batch.
            """)

    @OptionGroup var batches: BatchArguments
    @OptionGroup var connection: OperatorOptions

    func run() async throws {
        try await batches.steer("cancel", "cancelled", .queue, connection) {
            try await $0.cancelPendingBatches($1)
        }
    }
}
