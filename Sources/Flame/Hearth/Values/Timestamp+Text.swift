import HearthModel

extension Timestamp: LosslessStringConvertible {
    /// Reads RFC 3339 with `Z` or an offset, in the years 1 to 9999; `nil` for anything else.
    public init?(_ description: String) {
        guard let model = HearthModel.Timestamp(description),
            HearthModel.Timestamp.secondsRange.contains(model.seconds)
        else { return nil }
        self.init(model)
    }
}
