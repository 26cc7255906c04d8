import ArgumentParser
import Hearth

/// Paths as arguments.
enum DocumentPath {
    /// Reads a document's path.
    static func parse(_ text: String) throws -> PathText {
        guard let path = PathText(text), path.isDocument else {
            throw ValidationError(
                "a document has a path like rooms/hall, of an even number of names")
        }
        return path
    }

    /// Reads a document's or a collection's path.
    static func parseAny(_ text: String) throws -> PathText {
        guard let path = PathText(text) else {
            throw ValidationError("a path has names between slashes, such as rooms/hall")
        }
        return path
    }
}

/// Collections as arguments.
enum CollectionPath {
    /// Reads a collection's path.
    static func parse(_ text: String) throws -> PathText {
        guard let path = PathText(text), !path.isDocument else {
            throw ValidationError(
                "a collection has a path like rooms or rooms/hall/lamps, of an odd number of names")
        }
        return path
    }
}

extension Session {
    /// A document of the database.
    func document(_ path: PathText) throws(Failure) -> DocumentReference {
        do {
            return try firestore.validatedDocument(path.description)
        } catch {
            throw Failure(.usage, "\(error)".oneLine)
        }
    }
}
