import HearthModel

/// An order to the database, which stands in data in a value's place.
public struct FieldValue: Hashable, Sendable {
    enum Order: Hashable, Sendable {
        case delete
        case transform(FieldTransform.Operation)
        /// The operand could not be encoded. A write with the order throws the error.
        case invalid(FirestoreError)
    }

    let order: Order

    /// Deletes the field. Only for `updateData`, and for `setData` with `merge`.
    public static func delete() -> FieldValue {
        FieldValue(order: .delete)
    }

    /// Sets the field to the time of the commit. Until the commit, `ServerTimestampBehavior`
    /// decides what the field shows.
    public static func serverTimestamp() -> FieldValue {
        FieldValue(order: .transform(.serverTimestamp))
    }

    /// Appends the elements that the field's array does not hold yet.
    public static func arrayUnion(_ elements: [Any]) -> FieldValue {
        FieldValue(elements: elements) { .arrayUnion($0) }
    }

    /// Removes all occurrences of the elements from the field's array.
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

    /// Sets the field to the greater of its value and a whole number.
    public static func maximum(_ value: Int64) -> FieldValue {
        FieldValue(order: .transform(.maximum(.integer(value))))
    }

    /// Sets the field to the greater of its value and a number.
    public static func maximum(_ value: Double) -> FieldValue {
        FieldValue(order: .transform(.maximum(.double(value))))
    }

    /// Sets the field to the smaller of its value and a whole number.
    public static func minimum(_ value: Int64) -> FieldValue {
        FieldValue(order: .transform(.minimum(.integer(value))))
    }

    /// Sets the field to the smaller of its value and a number.
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
