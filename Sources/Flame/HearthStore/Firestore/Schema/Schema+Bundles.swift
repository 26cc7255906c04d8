/// The table of bundles whose load has begun and not ended.
extension Schema {
    /// The step that notes a bundle whose load has begun and not ended.
    static let begunBundles = """
        -- How many documents and named queries a bundle has whose load has begun and not ended; NULL for a
        -- bundle that is loaded whole.
        ALTER TABLE bundles ADD COLUMN documents INTEGER;
        ALTER TABLE bundles ADD COLUMN queries INTEGER;
        """
}
