import ArgumentParser
import Hearth

/// `hearth rtdb push`.
struct RtdbPushCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push", abstract: "Add a child under a new key, and print the key.",
        discussion: """
            The key sorts after all keys that were made before. The value comes as an argument, or \
            with \"-\" as JSON on standard input. JSON: path, key, state, batch.
            """)

    @Argument(
        help: "The place above the new child, such as log.",
        completion: CompletionSubject.place.kind)
    var path: String
    @Argument(help: "The value, or \"-\".")
    var value: String
    @OptionGroup var write: StageOptions
    @OptionGroup var instance: InstanceOptions

    func run() async throws {
        let value = try ValueArgument.read(value)
        guard try value.treeValue() != nil else {
            throw Failure(.usage, "A child that is null is none; push needs a value.")
        }
        try value.checkFitsWrite()
        let session = try await InstanceSession.whenStarted(
            instance, timeout: write.timeout?.duration)
        let child = try session.reference(path).childByAutoId()
        let key = child.key ?? ""
        let stage = write.until.stage
        let batch = try await session.attempt(
            "write below \(path)", timeout: write.timeout?.duration
        ) {
            try await child.setValue(try value.treeValue(), until: stage).accepted()
        }
        guard instance.json else { return Terminal.print(key) }
        Terminal.print(
            Report().with("path", path).with("key", key).with("state", "\(stage)")
                .with("batch", Int(batch)).line)
    }
}
