import ArgumentParser
import Hearth

/// `hearth queue release`.
struct QueueReleaseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "release", abstract: "Let held batches go.", discussion: "JSON: batch.")

    @OptionGroup var batches: BatchArguments
    @OptionGroup var connection: OperatorOptions

    func run() async throws {
        try await batches.steer("release", "released", .queue, connection) {
            try await $0.releasePendingBatches($1)
        }
    }
}
