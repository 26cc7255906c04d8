import HearthFirestore
import HearthModel
import Testing

struct IndexConfigurationTests {
    @Test func `the file that Firebase's tools deploy is read`() throws {
        let json = """
            {"indexes": [
              {"collectionGroup": "rooms", "queryScope": "COLLECTION", "fields": [
                {"fieldPath": "city", "order": "ASCENDING"},
                {"fieldPath": "size.beds", "order": "DESCENDING"},
                {"fieldPath": "__name__", "order": "DESCENDING"}]},
              {"collectionGroup": "rooms", "queryScope": "COLLECTION_GROUP", "fields": [
                {"fieldPath": "tags", "arrayConfig": "CONTAINS"}]},
              {"collectionGroup": "rooms", "queryScope": "COLLECTION", "fields": [
                {"fieldPath": "look", "vectorConfig": {"dimension": 3, "flat": {}}}]}],
             "fieldOverrides": []}
            """
        let configuration = try IndexConfiguration(json: Array(json.utf8))
        #expect(
            configuration.indexes.map(\.description)
                == ["rooms(city asc, size.beds desc)", "*rooms(tags contains)"])
        #expect(configuration.foreignCount == 1)
    }

    @Test(arguments: [
        "", "[]", #"{"indexes": [{"fields": []}]}"#,
        #"{"indexes": [{"collectionGroup": "a", "fields": []}]}"#,
        #"{"indexes": [{"collectionGroup": "a", "fields": [{"fieldPath": "a..b"}]}]}"#,
        #"{"indexes": [{"collectionGroup": "a", "fields": [{"fieldPath": "a", "order": "UP"}]}]}"#,
    ])
    func `what cannot be an index is refused`(json: String) {
        #expect(throws: HearthError.self) { try IndexConfiguration(json: Array(json.utf8)) }
    }
}
