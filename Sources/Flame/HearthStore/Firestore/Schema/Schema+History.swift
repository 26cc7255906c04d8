/// The table of the history: one row for each step of a document.
extension Schema {
    /// The step that brings the history: a row for each step of a document, in the order of the steps.
    ///
    /// Rows leave from the front alone, so the numbers have no gap, and the difference of two rows'
    /// `bytes_before` is the size of the rows between.
    static let history = """
        -- path: PathKey of the whole path. noted_at: by the machine's clock. entry: HistoryBytes.
        CREATE TABLE history (
            id INTEGER PRIMARY KEY,
            path BLOB NOT NULL,
            noted_at BLOB NOT NULL,
            bytes_before INTEGER NOT NULL,
            entry BLOB NOT NULL
        );
        CREATE INDEX history_by_document ON history (path, id, noted_at);
        """
}
