import HearthModel
import HearthRules
import Testing

/// What is refused before anybody asks, and what is left to the evaluation.
struct RealtimeTypeTests {
    private static func refusal(_ rule: String) throws -> String? {
        let verdict = try RealtimeVerdict(
            rule, wildcards: [(name: "$here", value: "x"), (name: "$there", value: "y")])
        if case .refused(let reason) = verdict { return reason }
        return nil
    }

    @Test(arguments: [
        ("7", "a rule must be a boolean"), ("'a'", "a rule must be a boolean"),
        ("null", "a rule must be a boolean"), ("now", "a rule must be a boolean"),
        ("root", "a rule must be a boolean"), ("auth.admin", "a rule must be a boolean"),
        ("root.val()", "a rule must be a boolean"), ("query", "a rule must be a boolean"),
        ("auth.a && true", "an operand of \"&&\" must be a boolean"),
        ("true || root.val()", "an operand of \"||\" must be a boolean"),
        ("!auth.a", "the operand of \"!\" must be a boolean"),
        ("auth.a ? true : false", "the condition of \"?\" must be a boolean"),
        ("true ? 1 : 'a'", "one type"), ("(true ? 1 : true) == 1", "one type"),
        ("(true ? root : 'a') == null", "one type"),
        ("1 < 'a'", "two of one type"), ("null >= 1", "two of one type"),
        ("true < false", "numbers or strings, and this is a boolean"),
        ("root.val() < true", "numbers or strings"), ("root < 1", "numbers or strings"),
        ("root == null", "this is a snapshot"), ("null != root.child('a')", "this is a snapshot"),
        ("query == null", "this is the query"), ("(1 + true) == 2", "this is a boolean"),
        ("(1 + null) == 2", "this is null"), ("('a' - 1) == 0", "\"-\" needs numbers"),
        ("(1 * 'a') == 0", "\"*\" needs numbers"), ("-'a' == 1", "\"-\" needs a number"),
        ("root.foo == 1", "a snapshot has no foo"), ("root.val().foo == 1", "has no foo"),
        ("root.val == 1", "val is a method"), ("$here.contains == 1", "contains is a method"),
        ("root['val'] == 1", "val is a method"), ("now.length == 1", "a number has no length"),
        ("true.length == 1", "a boolean has no length"), ("null.foo == 1", "null has no foo"),
        ("root.foo()", "a snapshot has no method foo"), ("$here.val() == 1", "no method val"),
        ("auth.foo.notFound() == false", "no method notFound"),
        ("auth.val() == 1", "no method val"), ("now.contains('a')", "no method contains"),
        ("root.getPriority().foo == 1", "has no foo"), ("query.foo == 1", "a query has no foo"),
        ("query.startAfter == 1", "a query has no startAfter"),
        ("root['exi' + 'sts']()", "named by a computed value"),
        ("root[$here]()", "named by a computed value"),
        ("root[$here] == 1", "only parts of auth"), ("$here[0] == 'x'", "only parts of auth"),
        ("root.val()[$here] == 1", "only parts of auth"), ("auth[true] == 1", "names no member"),
        ("auth[root] == 1", "names no member"), ("f(1)", "there is no function f"),
        ("root.val()()", "only methods"), ("$nowhere == 'x'", "no wildcard of the path"),
        ("skies == 'blue'", "skies is no variable"), ("undefined == null", "no variable"),
        ("newData.exists()", "a read has no newData"), ("/a/ == 'a'", "only be given to matches()"),
        ("['a'] == 'a'", "only be given to hasChildren()"),
        ("$here.matches('a')", "needs a pattern"), ("$here.matches()", "takes 1 arguments"),
        ("$here.matches(/a/, /b/)", "takes 1 arguments"), ("$here.contains(7)", "needs strings"),
        ("auth.a.contains(null)", "needs strings"), ("$here.contains()", "takes 1 arguments"),
        ("$here.replace('a') == 'a'", "takes 2 arguments"), ("root.child(7).exists()", "strings"),
        ("root.child(null).exists()", "needs strings"), ("root.child().exists()", "takes 1"),
        ("root.hasChild(true)", "needs strings"), ("root.exists(1)", "takes 0 arguments"),
        ("root.hasChildren('a', 'b')", "one list"), ("root.hasChildren('a')", "one list"),
        ("root.hasChildren(['a'], 1)", "one list"), ("root.hasChildren([])", "is empty"),
        ("root.hasChildren(['a', 7])", "needs strings"),
        ("root.hasChildren([root])", "needs strings"),
    ])
    func `what cannot be is refused`(rule: String, reason: String) throws {
        let refusal = try #require(try Self.refusal(rule), "\(rule) is taken")
        #expect(refusal.contains(reason), "\(rule): \(refusal)")
    }

    @Test(arguments: [
        "auth == null", "null === auth", "auth.a.b.c == 1", "auth['a']['b'] == 1",
        "auth[$here] == 1", "auth.list[0] == 1", "auth[auth.a] == 1", "auth.a < 'a'",
        "auth.a + auth.b == 'ab'", "auth.a - 1 < 0", "-auth.a < 0", "auth.length == null",
        "auth.a.contains('x')", "auth.a['contains']('x')", "auth.a.toUpperCase() == 'X'",
        "1 == 'a'", "true != null", "null < null", "root.val() == auth.a",
        "(true ? 1 : auth.a) == 1", "(true ? root.val() : 'a') == 'a'",
        "(true ? root : data).exists()", "(auth.a == 1 ? auth.b : root.val()) == 1",
        "$here == $there", "$here.length > 0", "$here['length'] > 0",
        "root.child($here + '/' + $there).exists()", "root.hasChildren([$here, auth.a])",
        "root.hasChildren()", "root['exists']()", "root.getPriority() == 1",
        "root.getPriority().contains('a')", "now > 0", "now - 1000 < now",
        "query.orderByKey", "query.orderByChild == null", "query.limitToFirst <= 100",
        "query.startAt.contains('a')", "query['endAt'] == 1", "data.parent().exists()",
        "$here.replace('a', 'b').toLowerCase().endsWith('c')", "true;", "(true)", "!!true",
        "true /* always */ // and ever", "true ? false : true ? false : true",
    ])
    func `what may be is taken`(rule: String) throws {
        let refusal = try Self.refusal(rule)
        #expect(refusal == nil)
    }

    @Test func `newData is there where something is written`() throws {
        _ = try RealtimeRuleSet(
            """
            {"rules": {".write": "newData.exists()", ".validate": "newData.isString()"}}
            """)
    }
}
