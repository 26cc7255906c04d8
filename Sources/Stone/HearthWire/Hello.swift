package import HearthModel

/// The client's first message, with the client's versions, its identity and its database.
package struct Hello: Hashable, Sendable {
    /// A client's 128 random bits. The daemon recognises resent writes by the bits.
    package struct Client: Hashable, Sendable {
        /// The upper half.
        package let high: UInt64
        /// The lower half.
        package let low: UInt64

        /// Takes both halves; both zero for a client that never sends a write again.
        package init(high: UInt64, low: UInt64) {
            self.high = high
            self.low = low
        }

        /// A client that never sends a write again.
        package static let anonymous = Client(high: 0, low: 0)
    }

    /// The database that a client asks for.
    package enum Database: Hashable, Sendable {
        /// A Firestore database.
        case firestore(Choice<DatabaseID>)
        /// An instance of the Realtime Database.
        case realtime(Choice<InstanceID>)
    }

    /// One of the databases of a kind.
    package enum Choice<ID: Hashable & Sendable>: Hashable, Sendable {
        /// The daemon's default.
        case standard
        /// The database of this name, where the daemon has its default.
        case named(String)
        /// This database.
        case exactly(ID)
    }

    /// The versions of the protocol that the client speaks.
    package var versions: ClosedRange<UInt32>
    /// The client.
    package var client: Client
    /// The program's name, for display only.
    package var program: String
    /// The session's database.
    package var database: Database
    /// The client has the last answers to all its writes below this number.
    package var answeredBelow: UInt64

    /// The versions that this library speaks.
    package static let supportedVersions: ClosedRange<UInt32> = 1...1

    /// Takes the parts.
    ///
    /// - Parameters:
    ///   - versions: The versions of the protocol that the client speaks.
    ///   - client: The client.
    ///   - program: The program's name, for display only; `nil` if the program says none.
    ///   - database: The session's database.
    ///   - answeredBelow: The client has the last answers to all its writes below this number.
    package init(
        versions: ClosedRange<UInt32> = Hello.supportedVersions, client: Client, program: String,
        database: Database = .firestore(.standard), answeredBelow: UInt64 = 0
    ) {
        self.versions = versions
        self.client = client
        self.program = program
        self.database = database
        self.answeredBelow = answeredBelow
    }

    /// The newest version that both sides speak; `nil` if there is none.
    package static func commonVersion(
        _ ours: ClosedRange<UInt32>, _ theirs: ClosedRange<UInt32>
    ) -> UInt32? {
        ours.overlaps(theirs) ? min(ours.upperBound, theirs.upperBound) : nil
    }
}
