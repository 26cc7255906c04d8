/// A query that the daemon keeps in step with the backend though nobody listens.
package struct Pin: Hashable, Sendable {
    /// Whose pin, and which of theirs.
    package struct ID: Hashable, Sendable {
        /// The Unix user who ordered it; `nil` if the configuration did.
        package let uid: UInt32?
        /// The name. The user has one pin of a name in a database.
        package let name: String

        /// Names a pin.
        package init(uid: UInt32?, name: String) {
            self.uid = uid
            self.name = name
        }

        package static func == (lhs: Self, rhs: Self) -> Bool {
            lhs.uid == rhs.uid && utf8Equals(lhs.name, rhs.name)
        }

        package func hash(into hasher: inout Hasher) {
            hasher.combine(uid)
            hasher.combine(UTF8Text(name))
        }
    }

    /// Whose pin, and which of theirs.
    package let id: ID
    /// What is kept.
    package let query: Query
    /// How old the results may be; `nil` for a pin that is watched all the time.
    package let freshness: Duration?

    /// Pins a query.
    ///
    /// - Parameters:
    ///   - id: The user of the pin, and the pin's name.
    ///   - query: The query whose results are kept.
    ///   - freshness: How old the results may be; `nil` for a pin that is watched all the time.
    package init(id: ID, query: Query, freshness: Duration? = nil) {
        self.id = id
        self.query = query
        self.freshness = freshness
    }
}

extension Pin.ID: Comparable {
    /// Configured pins come first, then the users' in the order of uids, each user's by name.
    package static func < (lhs: Self, rhs: Self) -> Bool {
        let (left, right) = (lhs.uid.map(Int.init) ?? -1, rhs.uid.map(Int.init) ?? -1)
        return left == right ? utf8Precedes(lhs.name, rhs.name) : left < right
    }
}

extension Pin.ID: CustomStringConvertible {
    package var description: String { uid.map { "\(name) of uid \($0)" } ?? name }
}

/// The limits of a pin.
package enum PinLimits {
    /// Bytes of a pin's name.
    package static let nameByteCountMax = 200
    /// How old the results of a pin may at least be: a shorter time is a pin that is watched.
    package static let freshnessMin = Duration.seconds(1)
    /// How old they may be at most, 366 days.
    package static let freshnessMax = Duration.seconds(366 * 24 * 3_600)
    /// Pins of a database that the engine refreshes at a time, besides the watched pins.
    package static let refreshCountMax = 10
    /// How long a refresh may take while other pins wait for theirs.
    package static let refreshTimeMax = Duration.seconds(60)
    /// When a pin is tried again that the backend refused.
    package static let refusalPause = Duration.seconds(300)
    /// Between two pins that are taken up, for other work.
    package static let pause = Duration.milliseconds(1)
    /// Documents of a result that are measured to estimate the bytes of all.
    package static let sampleCount = 64
}

/// How a pin stands.
package struct PinReport: Hashable, Sendable {
    /// How the results stand to the backend's.
    package enum State: String, Hashable, Sendable, CaseIterable {
        /// The results have never been complete.
        case waiting
        /// The pin is watched, and its results are the backend's.
        case inStep
        /// The results were complete, and are not older than the pin allows.
        case fresh
        /// The results were complete, and are older, or the backend is not there.
        case stale
        /// Nothing is kept; the error tells why.
        case stopped
    }

    /// The pin.
    package var pin: Pin
    /// How the results stand to the backend's.
    package var state: State
    /// When the results were complete last; `nil` if they never were.
    package var completedAt: Timestamp?
    /// About how many bytes the results have.
    package var byteCount: Int
    /// Why nothing is kept; `nil` if the pin is kept.
    package var error: HearthError?

    /// Reports on a pin.
    ///
    /// - Parameters:
    ///   - pin: The pin.
    ///   - state: How the results stand to the backend's.
    ///   - completedAt: When the results were complete last; `nil` if they never were.
    ///   - byteCount: About how many bytes the results have.
    ///   - error: Why nothing is kept; `nil` if the pin is kept.
    package init(
        pin: Pin, state: State, completedAt: Timestamp? = nil, byteCount: Int = 0,
        error: HearthError? = nil
    ) {
        self.pin = pin
        self.state = state
        self.completedAt = completedAt
        self.byteCount = byteCount
        self.error = error
    }
}

/// How many pins a database has, and what they take.
package struct PinFigures: Hashable, Sendable {
    /// Pins.
    package var count = 0
    /// Pins that are stopped: nothing of them is kept.
    package var stoppedCount = 0
    /// About how many bytes the pins of each user have; `nil` for the configuration's.
    package var byteCounts: [UInt32?: Int] = [:]

    /// No pins.
    package init() {}

    /// About how many bytes all pins have.
    package var byteCount: Int { byteCounts.values.reduce(0, +) }

    /// About how many bytes the pins have that a user pays for. O(users).
    ///
    /// - Parameter owners: Who pays for whom.
    package func byteCount(paidBy payer: UInt32, _ owners: SubordinateRanges) -> Int {
        byteCounts.reduce(0) { sum, entry in
            entry.key.map(owners.owner(of:)) == payer ? sum + entry.value : sum
        }
    }
}

/// The pins of a database, and what they may take.
package struct PinSet: Hashable, Sendable {
    /// The pins, no two with one id.
    package var pins: [Pin] = []
    /// Bytes of results that the pins of one user may have.
    package var uidByteCountMax = 64 << 20
    /// Pins that are watched at a time, all users together.
    package var watchedCountMax = 100

    /// No pins, and the standard limits.
    package init() {}
}
