/// A text that must not be seen: a token, a key, a password.
///
/// However it is printed, dumped or logged, alone or inside another value, it shows as `<secret>`.
package struct Secret: Hashable, Sendable {
    /// What it hides. To be called only where the secret is used.
    package let revealed: String

    /// Hides a text.
    package init(_ text: String) {
        revealed = text
    }

    /// What is shown instead.
    private static let mask = "<secret>"

    /// Takes the secret out of a text that somebody else wrote, such as an endpoint's complaint.
    package func removed(from text: String) -> String {
        revealed.isEmpty ? text : text.replacing(revealed, with: Self.mask)
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { Self.mask }

    package var debugDescription: String { Self.mask }

    /// A mirror without children: `dump` and test reports find nothing.
    package var customMirror: Mirror { Mirror(Self.mask, children: []) }
}
