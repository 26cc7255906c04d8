import HearthModel

/// The dead letters of databases by their cause, as they were found last.
///
/// Who looks at all letters finds the causes. While a page shows the causes, the page asks again and
/// again, so what was found counts until the number of letters changes, or some time is over: a letter
/// may have come for a letter that went.
struct KnownCauses {
    private struct Known {
        let total: Int
        let at: ContinuousClock.Instant
        let json: JSONValue
    }

    private var known: [String: Known] = [:]

    /// Nothing is known.
    init() {}

    /// What was found of a database that has so many letters now; `nil` if nobody knows.
    func json(of database: String, total: Int, at now: ContinuousClock.Instant) -> JSONValue? {
        guard let known = known[database], known.total == total, Self.counts(known, now) else {
            return nil
        }
        return known.json
    }

    /// Notes what was found, and forgets what counts no more.
    ///
    /// - Parameter total: How many letters the database had just before.
    mutating func note(
        _ json: JSONValue, of database: String, total: Int, at now: ContinuousClock.Instant
    ) {
        known = known.filter { Self.counts($0.value, now) }
        known[database] = Known(total: total, at: now, json: json)
    }

    private static func counts(_ known: Known, _ now: ContinuousClock.Instant) -> Bool {
        now - known.at < ConsoleLimits.causesTimeMax
    }
}
