import HearthModel

extension DecodingError {
    /// The same error, with a description that begins with the document, if it is known, and the field.
    func named(in document: DocumentReference?) -> DecodingError { named(at: document?.path) }

    /// The same error, with a description that begins with a place, if it is known, and the field.
    func named(at place: String?) -> DecodingError {
        switch self {
        case .typeMismatch(let type, let context):
            .typeMismatch(type, Self.named(context, nil, place))
        case .valueNotFound(let type, let context):
            .valueNotFound(type, Self.named(context, nil, place))
        case .keyNotFound(let key, let context):
            .keyNotFound(key, Self.named(context, key, place))
        case .dataCorrupted(let context):
            .dataCorrupted(Self.named(context, nil, place))
        @unknown default:
            self
        }
    }

    /// - Parameters:
    ///   - key: The key that the decoder looked for below the context's path.
    ///   - place: The document's path or the node's, if it is known.
    private static func named(
        _ context: Context, _ key: (any CodingKey)?, _ place: String?
    ) -> Context {
        let names = (context.codingPath + [key].compactMap { $0 }).map(\.stringValue)
        let field = names.isEmpty ? nil : "field \(HearthModel.FieldPath(names))"
        let whole = [place, field].compactMap { $0 }.joined(separator: ", ")
        return Context(
            codingPath: context.codingPath,
            debugDescription: (whole.isEmpty ? "" : "\(whole): ") + context.debugDescription,
            underlyingError: context.underlyingError)
    }
}
