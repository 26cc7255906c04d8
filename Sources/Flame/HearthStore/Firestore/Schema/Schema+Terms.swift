/// The table of the terms on which writers want their writes sent.
extension Schema {
    /// A row for each waiting batch whose writer said something.
    ///
    /// Its number is its place in `steps`, and stands nowhere else.
    static let terms = """
        -- expires_at: in microseconds since 1970, NULL for never. only: 'online' for a batch that is given
        -- up without the backend, else ''.
        CREATE TABLE sending_terms (
            batch INTEGER PRIMARY KEY,
            expires_at INTEGER,
            only TEXT NOT NULL
        );
        """
}
