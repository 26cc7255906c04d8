import HearthModel

/// Holds bundles to the time.
///
/// A document counts as newer than all that the backend says of earlier times. A document of the future would hide
/// the backend's documents from every program until that time comes.
enum BundleTimes {
    /// How far a bundle's times may be ahead of the time known here: the clocks of machines differ.
    private static let leadMax = Duration.seconds(24 * 3_600)
    /// A clock that shows a time before 2020 has never been set, so such a clock judges no bundle.
    private static let firstTime = Timestamp(seconds: 1_577_836_800, nanoseconds: 0)

    /// Why a bundle must not be loaded; `nil` if its times are possible.
    ///
    /// - Parameters:
    ///   - now: What the machine's clock shows.
    ///   - heard: The latest time that the backend has named.
    static func refusal(
        of bundle: Bundle, at now: Timestamp, heard: SnapshotVersion
    ) -> HearthError? {
        guard now >= firstTime else { return nil }
        let known = max(now, heard.timestamp)
        guard bundle.latestTime > known.advanced(by: leadMax) else { return nil }
        return HearthError(
            code: .invalidArgument,
            message: "The bundle \"\(bundle.record.id)\" names the time \(bundle.latestTime), and "
                + "it is \(known) here. Documents of the future would hide what the backend says of "
                + "them. Set this machine's clock if it is wrong, or build the bundle again.")
    }
}
