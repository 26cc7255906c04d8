import HearthModel

/// What stands in data for something else than a value: an order to the database.
public struct FieldValue: Sendable {
    enum Order: Sendable {
        case delete
        case transform(FieldTransform.Operation)
        /// The operand could not be encoded; told when the write is made.
        case invalid(FirestoreError)
    }

    let order: Order

    /// Deletes the field. In `updateData`, and in `setData` with `merge`.
    public static func delete() -> FieldValue {
        FieldValue(order: .delete)
    }

    /// Becomes the time of the commit. Until then the field shows an estimate, or nothing; see
    /// `ServerTimestampBehavior`.
    public static func serverTimestamp() -> FieldValue {
        FieldValue(order: .transform(.serverTimestamp))
    }

    /// Appends the elements that the array does not hold yet.
    public static func arrayUnion(_ elements: [Any]) -> FieldValue {
        FieldValue(elements: elements) { .arrayUnion($0) }
    }

    /// Removes the elements from the array, each wherever it stands.
    public static func arrayRemove(_ elements: [Any]) -> FieldValue {
        FieldValue(elements: elements) { .arrayRemove($0) }
    }

    /// Adds a whole number; a field that is no number counts as 0.
    public static func increment(_ value: Int64) -> FieldValue {
        FieldValue(order: .transform(.increment(.integer(value))))
    }

    /// Adds a number; a field that is no number counts as 0.
    public static func increment(_ value: Double) -> FieldValue {
        FieldValue(order: .transform(.increment(.double(value))))
    }

    /// Becomes the greater of the field and a whole number.
    public static func maximum(_ value: Int64) -> FieldValue {
        FieldValue(order: .transform(.maximum(.integer(value))))
    }

    /// Becomes the greater of the field and a number.
    public static func maximum(_ value: Double) -> FieldValue {
        FieldValue(order: .transform(.maximum(.double(value))))
    }

    /// Becomes the smaller of the field and a whole number.
    public static func minimum(_ value: Int64) -> FieldValue {
        FieldValue(order: .transform(.minimum(.integer(value))))
    }

    /// Becomes the smaller of the field and a number.
    public static func minimum(_ value: Double) -> FieldValue {
        FieldValue(order: .transform(.minimum(.double(value))))
    }

    /// A vector.
    public static func vector(_ array: [Double]) -> VectorValue {
        VectorValue(array)
    }

    private init(order: Order) {
        self.order = order
    }

    private init(elements: [Any], _ operation: ([Value]) -> FieldTransform.Operation) {
        do throws(FirestoreError) {
            order = .transform(operation(try UserData.encodeElements(elements)))
        } catch {
            order = .invalid(error)
        }
    }
}
