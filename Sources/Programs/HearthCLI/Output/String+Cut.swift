extension String {
    /// The text in so many characters; what is cut off shows as an ellipsis.
    ///
    /// - Parameter width: At least 1.
    func cut(to width: Int) -> String {
        // Most lines are short in bytes already, and no character is shorter than a byte.
        guard utf8.count > width, count > width else { return self }
        return String(prefix(max(0, width - 1))) + "…"
    }
}
