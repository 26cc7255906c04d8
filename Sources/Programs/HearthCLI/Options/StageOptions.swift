import ArgumentParser
import Hearth

/// How far a write must have come before the command ends.
enum StageName: String, ExpressibleByArgument, CaseIterable {
    case accepted
    case committed

    /// The library's word.
    var stage: WriteStage {
        switch self {
        case .accepted: .accepted
        case .committed: .committed
        }
    }
}

/// When commands that write end.
struct StageOptions: ParsableArguments {
    @Option(
        name: [.customLong("until"), .customLong("wait")],
        help: ArgumentHelp(
            "When to end: when the write is durable on this machine, or when the backend has it."))
    var until = StageName.accepted

    @Option(
        help: ArgumentHelp(
            "How long the command may take, such as 30s. Then it ends with status 124, and the write "
                + "may still happen.", valueName: "time"),
        transform: DurationText.parse)
    var timeout: DurationText?
}
