/// How much memory surveys take.
package enum SurveyMemoryLimits {
    /// Bytes of all surveys of all engines. Thirty-two small surveys, or a large one and four small.
    package static let byteCountMax = 128 << 20
    /// Bytes of one survey: a hundred thousand small documents. The turn looks for more by itself.
    ///
    /// Less than all, so that small surveys find room beside a large one.
    package static let surveyByteCountMax = 112 << 20
    /// What a survey claims first: the reader, and room for some thousand small documents.
    package static let firstByteCount = 4 << 20
    /// By how much a room grows.
    package static let pieceByteCount = 2 << 20
    /// How many times as much is claimed for a survey that had too little.
    package static let claimFactor = 4
    /// The reader of a survey while the reader reads: its thread, and the pages of the database.
    package static let readerByteCount = 2 << 20
}
