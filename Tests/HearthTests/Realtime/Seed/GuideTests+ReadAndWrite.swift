import Foundation
import HearthModel
import HearthTestSupport
import Testing

@testable import Hearth

/// The Swift of the guide "Read and write data", a test for each heading.
///
/// What is written otherwise here: an optional is not forced. `RealtimeGuideTests` (end to end)
/// compiles the guide word for word.
extension GuideTests {
    /// The guide's own `User`.
    private struct User {
        let username: String
    }

    @Test func `guide, the reference and who is signed in`() {
        #expect(user.uid == "ada")
        #expect(ref.key == nil)
        #expect(Database.database() === Database.database())
    }

    @Test func `guide, basic write operations`() async throws {
        let username = "Ada"
        try await self.ref.child("users").child(user.uid).setValue(["username": username])
        #expect(server.tree == (try Node(json: #"{"users":{"ada":{"username":"Ada"}}}"#)))
        writeWithoutWaiting("Countess")
        _ = try await eventually(
            { server.tree.node(at: "users/ada/username") }, is: { $0 == Node("Countess") })
    }

    private func writeWithoutWaiting(_ username: String) {
        self.ref.child("users/\(user.uid)/username").setValue(username)
    }

    @Test func `guide, listen for value events`() async throws {
        let said = said
        let postRef = ref.child("posts/1")
        let refHandle = postRef.observe(
            DataEventType.value,
            with: { snapshot in
                said.note("\(snapshot.exists()) \(snapshot.value as? String ?? "nil")")
            })
        try await self.said("false nil")
        try await postRef.setValue("Hello")
        try await self.said("true Hello")
        postRef.removeObserver(withHandle: refHandle)
        postRef.removeAllObservers()
        // The library itself may follow the link, once a program has given orders for its end.
        _ = try await eventually({ server.targets.filter { !$0.path.isInfo } }, is: { $0.isEmpty })
    }

    @Test func `guide, read once with getData`() async throws {
        try await ref.child("users/ada/username").setValue("Ada")
        let uid = user.uid
        do {
            let snapshot = try await ref.child("users/\(uid)/username").getData()
            let userName = snapshot.value as? String ?? "Unknown"
            said.note(userName)
        } catch {
            print(error)
        }
        #expect(said.lines == ["Ada"])
    }

    @Test func `guide, read once with an observer`() async throws {
        let said = said
        try await ref.child("users/ada").setValue(["username": "Ada"])
        let userID = try #require(Auth.auth().currentUser?.uid)
        ref.child("users").child(userID).observeSingleEvent(
            of: .value,
            with: { snapshot in
                // Get user value
                let value = snapshot.value as? NSDictionary
                let username = value?["username"] as? String ?? ""
                let user = User(username: username)
                said.note(user.username)

                // ...
            }
        ) { error in
            print(error.localizedDescription)
        }
        try await self.said("Ada")
    }

    @Test func `guide, update specific fields`() async throws {
        let (userID, username, title, body) = (user.uid, "Ada", "On engines", "...")
        guard let key = ref.child("posts").childByAutoId().key else { return }
        let post = [
            "uid": userID,
            "author": username,
            "title": title,
            "body": body,
        ]
        let childUpdates = [
            "/posts/\(key)": post,
            "/user-posts/\(userID)/\(key)/": post,
        ]
        try await ref.updateChildValues(childUpdates)
        let tree = server.tree
        #expect(tree.node(at: "posts").childCount == 1)
        #expect(tree.node(at: "posts") == tree.node(at: "user-posts/ada"))
    }

    @Test func `guide, add a completion block`() async throws {
        let username = "Ada"
        do {
            try await ref.child("users").child(user.uid).setValue(["username": username])
            said.note("Data saved successfully!")
        } catch {
            said.note("Data could not be saved: \(error).")
        }
        #expect(said.lines == ["Data saved successfully!"])
    }

    @Test func `guide, delete data`() async throws {
        try await ref.child("a").setValue(["b": 1, "c": 2, "d": 3])
        try await ref.child("a").updateChildValues(["b": nil as Int? as Any, "d": NSNull()])
        #expect(server.tree == (try Node(json: #"{"a":{"c":2}}"#)))
        try await ref.child("a").removeValue()
        #expect(server.tree.isEmpty)
    }

    @Test func `guide, save data as transactions`() async throws {
        let said = said
        let ref = ref.child("posts/1")
        try await ref.setValue(["starCount": 1, "stars": ["grace": true]])
        for count in [2, 1] {
            ref.runTransactionBlock({ (currentData: MutableData) -> TransactionResult in
                if var post = currentData.value as? [String: AnyObject],
                    let uid = Auth.auth().currentUser?.uid
                {
                    var stars: [String: Bool]
                    stars = post["stars"] as? [String: Bool] ?? [:]
                    var starCount = post["starCount"] as? Int ?? 0
                    if let _ = stars[uid] {
                        // Unstar the post and remove self from stars
                        starCount -= 1
                        stars.removeValue(forKey: uid)
                    } else {
                        // Star the post and add self to stars
                        starCount += 1
                        stars[uid] = true
                    }
                    post["starCount"] = starCount as AnyObject?
                    post["stars"] = stars as AnyObject?

                    // Set value and report transaction success
                    currentData.value = post

                    return TransactionResult.success(withValue: currentData)
                }
                return TransactionResult.success(withValue: currentData)
            }) { error, committed, snapshot in
                if let error = error {
                    print(error.localizedDescription)
                }
                said.note("\(committed) \(snapshot?.childSnapshot(forPath: "stars").value ?? 0)")
            }
            _ = try await eventually(
                { server.tree.node(at: "posts/1/starCount") },
                is: { $0 == Node(.integer(Int64(count))) })
        }
        #expect(
            server.tree.node(at: "posts/1")
                == (try Node(json: #"{"starCount":1,"stars":{"grace":true}}"#)))
    }

    @Test func `guide, atomic server-side increments`() async throws {
        let (postID, userID) = ("1", user.uid)
        let updates =
            [
                "posts/\(postID)/stars/\(userID)": true,
                "posts/\(postID)/starCount": ServerValue.increment(1),
                "user-posts/\(postID)/stars/\(userID)": true,
                "user-posts/\(postID)/starCount": ServerValue.increment(1),
            ] as [String: Any]
        try await Database.database().reference().updateChildValues(updates)
        try await Database.database().reference().updateChildValues(updates)
        #expect(
            server.tree.node(at: "posts/1")
                == (try Node(json: #"{"starCount":2,"stars":{"ada":true}}"#)))
        #expect(server.tree.child("posts") == server.tree.child("user-posts"))
    }
}
