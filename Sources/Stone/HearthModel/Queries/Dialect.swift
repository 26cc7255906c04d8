/// Whose rules of equality count: the cache's, or the backend's.
///
/// The SDKs' caches match `in`, `not-in` and array membership strictly (1 is not 1.0); the backend
/// holds equal whatever its order holds equal. So a cache and a backend can disagree.
package enum Dialect: Sendable {
    /// The client SDKs' rules.
    case cache
    /// The backend's rules.
    case backend

    /// Whether a value counts as an element of a list.
    package func areEqual(_ left: Value, _ right: Value) -> Bool {
        switch self {
        case .cache: left == right
        case .backend: left.isEquivalent(to: right)
        }
    }
}
