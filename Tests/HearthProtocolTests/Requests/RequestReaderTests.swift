import HearthModel
import HearthProtocol
import Testing

/// What the backend refuses in a request before it looks at values.
struct RequestReaderTests {
    private let reader = RequestReader(database: DatabaseID(project: "p"))
    private let name = "projects/p/databases/(default)/documents/rooms/hall"

    private func refusal(of write: ProtoWrite) -> String? {
        do throws(HearthError) {
            _ = try reader.write(write)
            return nil
        } catch {
            return error.code == .invalidArgument ? error.message : "\(error.code)"
        }
    }

    @Test func `a delete has neither a mask nor transforms`() {
        var write = ProtoWrite()
        write.delete = name
        #expect(refusal(of: write) == nil)
        write.updateMask = ProtoDocumentMask()
        #expect(refusal(of: write) == "a delete must not specify a document mask.")
        write.clearUpdateMask()
        write.updateTransforms = [.init()]
        #expect(refusal(of: write) == "a delete must not specify a update transform.")
    }

    @Test func `a transform says what it does`() {
        var write = ProtoWrite()
        write.transform.document = name
        #expect(refusal(of: write) == "The list of FieldTransform must not be empty.")
        var transform = ProtoDocumentTransform.FieldTransform()
        transform.fieldPath = "seats"
        write.transform.fieldTransforms = [transform]
        #expect(
            refusal(of: write)
                == "Operation type must be specified for field transformation.")
        transform.setToServerValue = .requestTime
        write.transform.fieldTransforms = [transform]
        #expect(refusal(of: write) == nil)
    }

    @Test(arguments: [",", "x,", " ", "x desc asc", "x down"])
    func `an order that is none is refused`(text: String) {
        #expect(
            throws: HearthError(
                code: .invalidArgument, message: "Invalid order by clause \"\(text)\".")
        ) { try RequestReader.orderBys(text) }
    }

    @Test func `an order has fields with directions, or nothing`() throws {
        let x = FieldPath(["x"])
        #expect(try RequestReader.orderBys("") == [])
        #expect(
            try RequestReader.orderBys("x desc, __name__")
                == [OrderBy(x, .descending), OrderBy(.documentID)])
    }

    @Test func `a filter has a type, and a composite filter an operator`() {
        func refusal(of filter: ProtoStructuredQuery.Filter) -> String? {
            var query = ProtoStructuredQuery()
            query.where = filter
            do throws(HearthError) {
                _ = try reader.query(query, parent: .root)
                return nil
            } catch {
                return error.message
            }
        }
        #expect(refusal(of: .init()) == "Unknown Filter type.")
        var filter = ProtoStructuredQuery.Filter()
        filter.compositeFilter = .init()
        #expect(refusal(of: filter) == "Unsupported CompositeFilter operator.")
        filter.compositeFilter.op = .and
        #expect(refusal(of: filter) == nil)
    }
}
