/// What a property that stands for the document's name is found by.
protocol DocumentIDProperty {
    /// Reads the name.
    init(reference: DocumentReference) throws
}

/// A type in which a document's name can be kept.
public protocol DocumentIDWrappable: Sendable {
    /// Takes the name of a document.
    static func wrap(_ documentReference: DocumentReference) throws -> Self
}

extension String: DocumentIDWrappable {
    /// The last name of the path.
    public static func wrap(_ documentReference: DocumentReference) throws -> String {
        documentReference.documentID
    }
}

extension DocumentReference: DocumentIDWrappable {
    /// The reference itself.
    public static func wrap(_ documentReference: DocumentReference) throws -> DocumentReference {
        documentReference
    }
}

/// A property that is the document's own name when it is read, and no field when it is written.
///
///     struct Room: Codable {
///         @DocumentID var id: String?
///         var lights: Int
///     }
@propertyWrapper
public struct DocumentID<Value: DocumentIDWrappable & Codable>: Codable, Sendable,
    DocumentIDProperty
{
    /// The name; `nil` if the value was not read from a document.
    public var wrappedValue: Value?

    /// Starts without a document, or with a name.
    public init(wrappedValue: Value?) {
        self.wrappedValue = wrappedValue
    }

    init(reference: DocumentReference) throws {
        wrappedValue = try Value.wrap(reference)
    }

    /// Reads the name where another decoder than Hearth's is at work.
    public init(from decoder: any Swift.Decoder) throws {
        if let key = FieldDecoder.referenceKey,
            let reference = decoder.userInfo[key] as? DocumentReference
        {
            wrappedValue = try Value.wrap(reference)
        } else {
            wrappedValue = try Optional<Value>(from: decoder)
        }
    }

    /// Writes the name where another encoder than Hearth's is at work.
    public func encode(to encoder: any Swift.Encoder) throws {
        try wrappedValue.encode(to: encoder)
    }
}

extension DocumentID: Equatable where Value: Equatable {}
extension DocumentID: Hashable where Value: Hashable {}
