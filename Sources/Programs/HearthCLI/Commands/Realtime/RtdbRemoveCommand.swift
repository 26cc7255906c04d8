import ArgumentParser
import Hearth

/// `hearth rtdb remove`.
struct RtdbRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove all at a place and below.",
        discussion: "JSON: path, state, batch.")

    @Argument(
        help: "The place, such as rooms/hall; / is the root.",
        completion: CompletionSubject.place.kind)
    var path: String
    @OptionGroup var write: StageOptions
    @OptionGroup var instance: InstanceOptions

    func run() async throws {
        let session = try await InstanceSession.whenStarted(
            instance, timeout: write.timeout?.duration)
        let reference = try session.reference(path)
        try await session.write(path, write, instance) { stage in
            try await reference.removeValue(until: stage)
        }
    }
}
