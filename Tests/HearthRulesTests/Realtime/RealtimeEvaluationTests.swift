import HearthModel
import HearthRules
import Testing

/// The results of expressions, by the kind of value.
struct RealtimeEvaluationTests {
    private static let auth = """
        {"uid": "ann", "token": {"admin": true, "level": 3, "share": 0.5, "name": "Ann",
         "length": 7, "firebase": {"identities": {"google.com": ["g1", "g2"]}}}}
        """
    private static let data = """
        {"n": 5, "half": 0.5, "big": 9007199254740993, "s": "Hall", "yes": true, "no": false,
         "deep": {"a": {"b": 1}, "c": "x"}, "same": {"a": {"b": 1.0}, "c": "x"},
         "other": {"a": {"b": 2}, "c": "x"}, "emoji": "a\\ud83d\\ude00", "text": "one\\ntwo",
         "ranked": {".value": "v", ".priority": 3}}
        """

    private static func verdict(_ rule: String) throws -> RealtimeVerdict {
        try RealtimeVerdict(
            rule, auth: try JSONReader.read(Array(auth.utf8)), data: try Node(json: data),
            wildcards: [(name: "$room", value: "hall"), (name: "$id", value: "7")])
    }

    @Test(arguments: [
        // Numbers.
        "1 + 2 * 3 == 7", "(1 + 2) * 3 == 9", "7 % 4 == 3", "-7 % 4 == -3", "1 / 4 == 0.25",
        "1 - 2 - 3 == -4", "8 / 4 / 2 == 1", "- -1 == 1",
        "0x1F == 31", "1e3 == 1000", "1.5e-1 == 0.15", ".5 == 0.5", "5. == 5", "1 == 1.0",
        "9223372036854775807 + 1 > 9223372036854775807", "5.5 % 2 == 1.5",
        "root.child('big').val() == 9007199254740993",
        "root.child('big').val() != 9007199254740992", "9007199254740993 > 9007199254740992.0",
        "root.child('big').val() + 1 == 9007199254740994",
        "9223372036854775808 == 9223372036854775808.0",
        // Nothing is divided by zero.
        "1 / 0 + '' == 'NaN'", "1 % 0 + '' == 'NaN'", "!(1 / 0 > 2)", "!(1 / 0 <= 2)",
        "1 / 0 != 1 / 0",
        // Texts.
        "'a' + 'b' == 'ab'", "'a' + 1 == 'a1'", "1 + 'a' == '1a'", "0.5 + '' == '0.5'",
        "1 + 1 + 'a' == '2a'", "'a' + 1 + 1 == 'a11'", "4 / 2 + '' == '2'", "1e21 + '' == '1e+21'",
        "100000000000000000000.0 + '' == '100000000000000000000'", "0.000001 + '' == '0.000001'",
        "1.5e-7 + '' == '1.5e-7'", "123.456 + '' == '123.456'", "-0.5 + '' == '-0.5'",
        "'b' > 'a'", "'B' < 'a'", "'a' <= 'a'", "'\\uFF5E' > '\\uD83D\\uDE00'",
        "'\\x41\\u0042\\t' == 'AB\t'", "'it\\'s' == \"it's\"", "'\\q' == 'q'",
        "'Hall'.length == 4", "root.child('emoji').val().length == 3", "''.length == 0",
        "'hall'.contains('al')", "'hall'.contains('')", "!'hall'.contains('la')",
        "'aabaabaac'.contains('aabaac')", "'hall'.beginsWith('ha')", "!'h'.beginsWith('ha')",
        "'hall'.endsWith('ll')", "!'hall'.endsWith('hhall')", "'xaxa'.endsWith('xa')",
        "'a.b.c'.replace('.', '/') == 'a/b/c'", "'aaa'.replace('aa', 'b') == 'ba'",
        "'abc'.replace('', 'x') == 'abc'", "'aBc'.toUpperCase() == 'ABC'",
        "'ÄB'.toLowerCase() == 'äb'", "'e\\u0301' != 'é'",
        // Nothing is converted.
        "1 != '1'", "true != 1", "null != false", "'true' != true", "null == null", "0 != null",
        "1 === 1", "1 !== '1'",
        // Places.
        "root.child('s').val() == 'Hall'", "root.child('/deep//a/b/').val() == 1",
        "root.child('deep').child('a').child('b').exists()", "root.child('').exists()",
        "root.child('deep/a').parent().child('c').val() == 'x'",
        "root.child('none/of/it').parent().parent().parent().child('n').val() == 5",
        "!root.child('none').exists()", "root.child('none').val() == null",
        "root.child('a.b#c').val() == null", "!root.hasChild('a.b/c')",
        "root.child('s/below').val() == null", "root.hasChild('deep/a')", "root.hasChildren()",
        "!root.child('s').hasChildren()", "root.hasChildren(['n', 's', 'deep/a/b'])",
        "!root.hasChildren(['n', 'none'])", "root.child('n').isNumber()",
        "root.child('half').isNumber()", "!root.child('s').isNumber()",
        "root.child('s').isString()",
        "root.child('no').isBoolean()", "!root.child('deep').isString()",
        "!root.child('none').isBoolean()", "root.child('ranked').getPriority() == 3",
        "root.child('ranked').val() == 'v'", "root.getPriority() == null",
        "root.child('deep').val() == root.child('same').val()",
        "root.child('deep').val() != root.child('other').val()",
        "root.child('deep').val() != null", "root.child('deep').val() != root.val()",
        "data.parent().parent().child('n').val() == 5",
        // Who asks.
        "auth != null", "auth.uid == 'ann'", "auth.token.admin === true", "auth.token.level > 2",
        "auth.token['level'] == 3", "auth.token.firebase.identities['google.com'][0] == 'g1'",
        "auth.token.firebase.identities['google.com'].length == 2",
        "auth.token.firebase.identities['google.com'][2] == null", "auth.token.length == 7",
        "auth.none.of.it == null", "auth.uid.none == null", "auth.uid.length == 3",
        "auth.none.length == null", "auth.token.level.length == null", "auth[0] == null",
        "auth['u' + 'id'] == 'ann'",
        "auth.token.name.toLowerCase() == auth.uid", "auth.token == auth['token']",
        "auth.token != auth.token.firebase", "auth.token.firebase == auth.token['firebase']",
        "auth.token.firebase != auth.token.firebase.identities",
        "auth.token.firebase.identities['google.com'] != auth.token.firebase.identities",
        // Names of the path and the time.
        "$room == 'hall' && $id == '7'", "$room + '/' + $id == 'hall/7'", "now == 1700000000000",
        // What does not matter is left out.
        "true || auth.none > 1", "!(false && auth.none > 1)", "true ? true : auth.none > 1",
        "false ? auth.none > 1 : true", "true || false && auth.none > 1",
    ])
    func `it is true`(rule: String) throws {
        #expect(try Self.verdict(rule) == .value(true), "\(rule)")
    }

    @Test(arguments: [
        "auth.none > 1", "1 < auth.none", "auth.none <= null", "auth.uid > 1", "auth.token < 'a'",
        "auth.token.admin > 1", "root.val() > 1", "auth.none + 1 == 1", "1 + auth.token.admin == 2",
        "'a' + auth.none == 'a'", "auth.token + 'a' == 'a'", "auth.uid - 1 == 0",
        "auth.none * 1 == 0", "-auth.uid == 0", "-auth.none == 0", "auth.none.contains('a')",
        "auth.token.level.contains('3')", "'a3'.contains(auth.token.level)",
        "'a'.contains(auth.none)", "'a'.replace(auth.none, 'b') == 'a'",
        "'a'.replace('a', auth.token.level) == '3'", "auth.none.matches(/a/)",
        "root.val().matches(/a/)", "root.val().length > 0", "root.child('n').val().length == 1",
        "root.child('none').val().length == 0",
        "root.child(auth.none).exists()", "root.child(auth.token.level).exists()",
        "root.hasChild(auth.none)", "root.hasChildren(['n', auth.none])",
        "root.hasChildren(['none', auth.none])", "root.parent().exists()",
        "data.parent().parent().parent().exists()", "auth[auth.none] == null",
        "auth[auth.token.share] == null", "query.limitToFirst < 5",
        "query.orderByChild.contains('a')", "query.orderByChild.length > 0",
        // A failure is the whole rule's.
        "!(auth.none > 1)", "auth.none > 1 || true", "true && auth.none > 1",
        "(auth.none > 1) == false", "auth.none > 1 ? true : true", "(auth.none > 1) != true",
    ])
    func `it has no value, and no operator goes on from there`(rule: String) throws {
        let verdict = try Self.verdict(rule)
        #expect(verdict.agrees(with: .failed("")), "\(rule) is \(verdict)")
    }

    @Test func `a failure says what happened`() throws {
        guard case .failed(let reason) = try Self.verdict("auth.none.contains('a')") else {
            Issue.record("it does not fail")
            return
        }
        #expect(reason == ".read of /hall/7: contains() needs a string, and is given null @ L1")
    }

    @Test func `whoever is signed in is seen by the claims of the token`() throws {
        func auth(_ claims: String) throws -> JSONValue? {
            RealtimeRuleRequest.auth(claims: try JSONReader.read(Array(claims.utf8)))
        }
        let ann = try #require(
            try auth(
                #"{"sub": "ann", "user_id": "x", "n": 1, "firebase": {"sign_in_provider": "password"}}"#
            ))
        #expect(
            try RealtimeVerdict(
                "auth.uid == 'ann' && auth.provider == 'password' && auth.token.n == 1", auth: ann)
                == .value(true))
        let bob = try #require(try auth(#"{"user_id": "bob"}"#))
        #expect(
            try RealtimeVerdict("auth.uid == 'bob' && auth.provider == 'custom'", auth: bob)
                == .value(true))
        #expect(try auth(#"{"sub": 7}"#) == nil)
    }

    @Test func `a query is seen by what it asks for`() throws {
        let byName = RealtimeRuleQuery(
            order: .child("deep/c"), startAt: "a", endAt: 3, limitToFirst: 10)
        #expect(
            try RealtimeVerdict(
                """
                query.orderByChild == 'deep/c' && query.startAt == 'a' && query.endAt == 3
                  && query.limitToFirst <= 10 && query.limitToLast == null && !query.orderByKey
                """, query: byName) == .value(true))
        #expect(try RealtimeVerdict("query.orderByKey", query: .init()) == .value(true))
        #expect(
            try RealtimeVerdict(
                "query.orderByPriority && query.limitToLast == 2",
                query: RealtimeRuleQuery(order: .priority, limitToLast: 2)) == .value(true))
        var equal = RealtimeRuleQuery(order: .value)
        equal.equalTo = true
        #expect(
            try RealtimeVerdict("query.orderByValue && query.equalTo == true", query: equal)
                == .value(true))
    }
}
