import ArgumentParser
import Hearth

/// Where a read looks.
enum SourceName: String, ExpressibleByArgument, CaseIterable {
    case `default`
    case server
    case cache

    /// The library's word.
    var source: FirestoreSource {
        switch self {
        case .default: .default
        case .server: .server
        case .cache: .cache
        }
    }
}

/// `--source`.
struct SourceOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Where to look: in the backend if it can be reached, there only, or in the cache only.")
    )
    var source = SourceName.default
}
