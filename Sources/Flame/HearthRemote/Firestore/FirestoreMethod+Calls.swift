import HearthProtocol
import HearthRPC

extension FirestoreMethod {
    /// The path of the method's calls.
    var path: String { Self.path(of: rawValue) }

    /// The path of a method by its name.
    static func path(of name: String) -> String { CallMethod.path(of: name, in: service) }
}
