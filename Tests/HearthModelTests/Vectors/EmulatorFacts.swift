// Made by ask-emulator.py from the answers of Google's Firestore emulator.
// swift-format-ignore-file

import HearthModel

/// What Google's Firestore emulator answered.
enum EmulatorFacts {
    /// The values that were asked about, by number.
    static let values: [Value] = [
        .null,
        .boolean(false),
        .boolean(true),
        .double(.nan),
        .double(-.infinity),
        .double(-0x1.fffffffffffffp+1023),
        .double(-0x1.0000000000001p+63),
        .integer(.min),
        .double(-0x1.0000000000000p+63),
        .integer(-9223372036854775807),
        .double(-0x1.fffffffffffffp+62),
        .integer(-9007199254740993),
        .double(-0x1.0000000000000p+53),
        .integer(-9007199254740992),
        .integer(-9007199254740991),
        .double(-1.5),
        .integer(-1),
        .double(-1.0),
        .double(-0.5),
        .double(-.leastNonzeroMagnitude),
        .double(-0.0),
        .integer(0),
        .double(0.0),
        .double(.leastNonzeroMagnitude),
        .double(0.5),
        .integer(1),
        .double(1.0),
        .double(1.5),
        .integer(2),
        .integer(9007199254740991),
        .integer(9007199254740992),
        .double(0x1.0000000000000p+53),
        .integer(9007199254740993),
        .double(0x1.0000000000001p+53),
        .integer(9007199254740994),
        .double(0x1.fffffffffffffp+62),
        .integer(9223372036854775806),
        .integer(9223372036854775807),
        .double(0x1.0000000000000p+63),
        .double(0x1.fffffffffffffp+1023),
        .double(.infinity),
        .timestamp(Timestamp(seconds: -62135596800, nanoseconds: 0)),
        .timestamp(Timestamp(seconds: -1, nanoseconds: 999999000)),
        .timestamp(Timestamp(seconds: 0, nanoseconds: 0)),
        .timestamp(Timestamp(seconds: 0, nanoseconds: 1000)),
        .timestamp(Timestamp(seconds: 1, nanoseconds: 0)),
        .timestamp(Timestamp(seconds: 253402300799, nanoseconds: 999999000)),
        .string(""),
        .string("\u{0}"),
        .string(" "),
        .string("10"),
        .string("9"),
        .string("A"),
        .string("a"),
        .string("a\u{0}"),
        .string("aa"),
        .string("ab"),
        .string("b"),
        .string("e\u{301}"),
        .string("f"),
        .string("~"),
        .string("\u{E9}"),
        .string("\u{212B}"),
        .string("\u{AC00}"),
        .string("\u{E000}"),
        .string("\u{FB00}"),
        .string("\u{FFFD}"),
        .string("\u{10000}"),
        .string("\u{1F600}"),
        .bytes([]),
        .bytes([0]),
        .bytes([0, 0]),
        .bytes([1]),
        .bytes([127]),
        .bytes([128]),
        .bytes([255]),
        .bytes([255, 0]),
        reference("c/a", project: "demo", database: "(default)"),
        reference("c/a!", project: "demo", database: "(default)"),
        reference("c/a/d/e", project: "demo", database: "(default)"),
        reference("c/a0", project: "demo", database: "(default)"),
        reference("c/b", project: "demo", database: "(default)"),
        reference("c/10", project: "demo", database: "(default)"),
        reference("c/9", project: "demo", database: "(default)"),
        reference("c/__id7__", project: "demo", database: "(default)"),
        reference("c/__id10__", project: "demo", database: "(default)"),
        reference("c/_", project: "demo", database: "(default)"),
        reference("c!/a", project: "demo", database: "(default)"),
        reference("c/a", project: "demo", database: "other"),
        reference("c/a", project: "alpha", database: "(default)"),
        reference("c/a", project: "zeta", database: "(default)"),
        .geoPoint(GeoPoint(latitude: -90.0, longitude: -180.0)),
        .geoPoint(GeoPoint(latitude: -0.0, longitude: 0.0)),
        .geoPoint(GeoPoint(latitude: 0.0, longitude: 0.0)),
        .geoPoint(GeoPoint(latitude: 0.0, longitude: -0.0)),
        .geoPoint(GeoPoint(latitude: 0.0, longitude: 1.0)),
        .geoPoint(GeoPoint(latitude: 0.5, longitude: -1.0)),
        .geoPoint(GeoPoint(latitude: 90.0, longitude: 180.0)),
        .array([]),
        .array([.null]),
        .array([.double(.nan)]),
        .array([.double(-0.0)]),
        .array([.integer(0)]),
        .array([.integer(1)]),
        .array([.double(1.0)]),
        .array([.integer(1), .integer(2)]),
        .array([.integer(1), .string("a")]),
        .array([.integer(2)]),
        .array([.string("a")]),
        .array([.string("\u{E9}")]),
        .array([.string("e\u{301}")]),
        .array([.map(.empty)]),
        .array([.map(MapValue([("a", .integer(1))]))]),
        .array([.map(MapValue([("a", .double(1.0))]))]),
        .array([reference("c/a", project: "demo", database: "(default)")]),
        .map(MapValue([("__type__", .string("__vector__")), ("value", .array([.double(1.0)]))])),
        .map(MapValue([("__type__", .string("__vector__")), ("value", .array([.double(2.0)]))])),
        .map(MapValue([("__type__", .string("__vector__")), ("value", .array([.double(-0.0), .double(9.0)]))])),
        .map(MapValue([("__type__", .string("__vector__")), ("value", .array([.double(0.0), .double(5.0)]))])),
        .map(MapValue([("__type__", .string("__vector__")), ("value", .array([.double(0.0), .double(0.0), .double(0.0)]))])),
        .map(.empty),
        .map(MapValue([("A", .integer(9))])),
        .map(MapValue([("a", .null)])),
        .map(MapValue([("a", .double(.nan))])),
        .map(MapValue([("a", .integer(1))])),
        .map(MapValue([("a", .double(1.0))])),
        .map(MapValue([("a", .integer(1)), ("b", .integer(2))])),
        .map(MapValue([("a", .integer(2))])),
        .map(MapValue([("a", .array([.integer(1)]))])),
        .map(MapValue([("a", .map(.empty))])),
        .map(MapValue([("a", .map(MapValue([("b", .integer(1))])))])),
        .map(MapValue([("aa", .integer(0))])),
        .map(MapValue([("b", .integer(0))])),
        .map(MapValue([("\u{E9}", .integer(1))])),
        .map(MapValue([("e\u{301}", .integer(1))])),
        .map(MapValue([("a", .map(MapValue([("__type__", .string("__vector__")), ("value", .array([.double(1.0)]))])))])),
    ]

    /// Operands of `in`, `not-in` and `array-contains-any`, by number.
    static let lists: [Value] = [
        .array([.null]),
        .array([.double(.nan)]),
        .array([.null, .integer(1)]),
        .array([.double(.nan), .integer(1)]),
        .array([.integer(1), .string("a")]),
        .array([.double(-0.0), .boolean(true)]),
        .array([.double(0x1.0000000000000p+53), .integer(9007199254740993)]),
        .array([.string("\u{E9}")]),
        .array([.string("e\u{301}")]),
        .array([.array([.integer(1)]), .map(MapValue([("a", .double(1.0))]))]),
        .array([.array([.double(1.0), .integer(2)]), .map(MapValue([("__type__", .string("__vector__")), ("value", .array([.double(1.0)]))]))]),
        .array([.map(.empty), .array([])]),
        .array([reference("c/a", project: "demo", database: "(default)"), reference("c/b", project: "demo", database: "(default)")]),
        .array([.timestamp(Timestamp(seconds: 0, nanoseconds: 0)), .bytes([0]), .geoPoint(GeoPoint(latitude: 0.0, longitude: 0.0))]),
        .array([.array([.null])]),
        .array([.array([.double(.nan)])]),
        .array([.map(MapValue([("a", .null)]))]),
        .array([.map(MapValue([("a", .double(.nan))]))]),
    ]

    /// The values' numbers in ascending order; one line for each set of ties.
    static let order = #"""
        0
        1
        2
        3
        4
        5
        6
        7 8
        9
        10
        11
        12 13
        14
        15
        16 17
        18
        19
        20 21 22
        23
        24
        25 26
        27
        28
        29
        30 31
        32
        33 34
        35
        36
        37
        38
        39
        40
        41
        42
        43
        44
        45
        46
        47
        48
        49
        50
        51
        52
        53
        54
        55
        56
        57
        58
        59
        60
        61
        62
        63
        64
        65
        66
        67
        68
        69
        70
        71
        72
        73
        74
        75
        76
        89
        84
        85
        82
        83
        86
        77
        79
        78
        80
        81
        87
        88
        90
        91
        92
        94
        93
        95
        96
        97
        98
        99
        100
        101 102
        103 104
        105
        106
        107
        108
        110
        109
        114
        111
        112 113
        115
        116
        117
        118
        119
        120
        121
        122
        123
        124 125
        126
        127
        128
        135
        129
        130
        131
        132
        134
        133
        """#

    /// Operator, operand, and the numbers of the values that match.
    static let matches = #"""
        < v0 -
        < v1 -
        < v2 1
        < v3 -
        < v4 -
        < v5 4
        < v6 4-5
        < v7 4-6
        < v8 4-6
        < v9 4-8
        < v10 4-9
        < v11 4-10
        < v12 4-11
        < v13 4-11
        < v14 4-13
        < v15 4-14
        < v16 4-15
        < v17 4-15
        < v18 4-17
        < v19 4-18
        < v20 4-19
        < v21 4-19
        < v22 4-19
        < v23 4-22
        < v24 4-23
        < v25 4-24
        < v26 4-24
        < v27 4-26
        < v28 4-27
        < v29 4-28
        < v30 4-29
        < v31 4-29
        < v32 4-31
        < v33 4-32
        < v34 4-32
        < v35 4-34
        < v36 4-35
        < v37 4-36
        < v38 4-37
        < v39 4-38
        < v40 4-39
        < v41 -
        < v42 41
        < v43 41-42
        < v44 41-43
        < v45 41-44
        < v46 41-45
        < v47 -
        < v48 47
        < v49 47-48
        < v50 47-49
        < v51 47-50
        < v52 47-51
        < v53 47-52
        < v54 47-53
        < v55 47-54
        < v56 47-55
        < v57 47-56
        < v58 47-57
        < v59 47-58
        < v60 47-59
        < v61 47-60
        < v62 47-61
        < v63 47-62
        < v64 47-63
        < v65 47-64
        < v66 47-65
        < v67 47-66
        < v68 47-67
        < v69 -
        < v70 69
        < v71 69-70
        < v72 69-71
        < v73 69-72
        < v74 69-73
        < v75 69-74
        < v76 69-75
        < v77 82-86,89
        < v78 77,79,82-86,89
        < v79 77,82-86,89
        < v80 77-79,82-86,89
        < v81 77-80,82-86,89
        < v82 84-85,89
        < v83 82,84-85,89
        < v84 89
        < v85 84,89
        < v86 82-85,89
        < v87 77-86,89
        < v88 77-87,89
        < v89 -
        < v90 77-89
        < v91 -
        < v92 91
        < v93 91-92,94
        < v94 91-92
        < v95 91-94
        < v96 91-95
        < v97 91-96
        < v98 -
        < v99 98
        < v100 98-99
        < v101 98-100
        < v102 98-100
        < v103 98-102
        < v104 98-102
        < v105 98-104
        < v106 98-105
        < v107 98-106
        < v108 98-107
        < v109 98-108,110
        < v110 98-108
        < v111 98-110,114
        < v112 98-111,114
        < v113 98-111,114
        < v114 98-110
        < v115 -
        < v116 115
        < v117 115-116
        < v118 115-117
        < v119 115-118
        < v120 -
        < v121 120
        < v122 120-121
        < v123 120-122
        < v124 120-123
        < v125 120-123
        < v126 120-125
        < v127 120-126
        < v128 120-127
        < v129 120-128,135
        < v130 120-129,135
        < v131 120-130,135
        < v132 120-131,135
        < v133 120-132,134-135
        < v134 120-132,135
        < v135 120-128
        <= v0 -
        <= v1 1
        <= v2 1-2
        <= v3 -
        <= v4 4
        <= v5 4-5
        <= v6 4-6
        <= v7 4-8
        <= v8 4-8
        <= v9 4-9
        <= v10 4-10
        <= v11 4-11
        <= v12 4-13
        <= v13 4-13
        <= v14 4-14
        <= v15 4-15
        <= v16 4-17
        <= v17 4-17
        <= v18 4-18
        <= v19 4-19
        <= v20 4-22
        <= v21 4-22
        <= v22 4-22
        <= v23 4-23
        <= v24 4-24
        <= v25 4-26
        <= v26 4-26
        <= v27 4-27
        <= v28 4-28
        <= v29 4-29
        <= v30 4-31
        <= v31 4-31
        <= v32 4-32
        <= v33 4-34
        <= v34 4-34
        <= v35 4-35
        <= v36 4-36
        <= v37 4-37
        <= v38 4-38
        <= v39 4-39
        <= v40 4-40
        <= v41 41
        <= v42 41-42
        <= v43 41-43
        <= v44 41-44
        <= v45 41-45
        <= v46 41-46
        <= v47 47
        <= v48 47-48
        <= v49 47-49
        <= v50 47-50
        <= v51 47-51
        <= v52 47-52
        <= v53 47-53
        <= v54 47-54
        <= v55 47-55
        <= v56 47-56
        <= v57 47-57
        <= v58 47-58
        <= v59 47-59
        <= v60 47-60
        <= v61 47-61
        <= v62 47-62
        <= v63 47-63
        <= v64 47-64
        <= v65 47-65
        <= v66 47-66
        <= v67 47-67
        <= v68 47-68
        <= v69 69
        <= v70 69-70
        <= v71 69-71
        <= v72 69-72
        <= v73 69-73
        <= v74 69-74
        <= v75 69-75
        <= v76 69-76
        <= v77 77,82-86,89
        <= v78 77-79,82-86,89
        <= v79 77,79,82-86,89
        <= v80 77-80,82-86,89
        <= v81 77-86,89
        <= v82 82,84-85,89
        <= v83 82-85,89
        <= v84 84,89
        <= v85 84-85,89
        <= v86 82-86,89
        <= v87 77-87,89
        <= v88 77-89
        <= v89 89
        <= v90 77-90
        <= v91 91
        <= v92 91-92
        <= v93 91-94
        <= v94 91-92,94
        <= v95 91-95
        <= v96 91-96
        <= v97 91-97
        <= v98 98
        <= v99 98-99
        <= v100 98-100
        <= v101 98-102
        <= v102 98-102
        <= v103 98-104
        <= v104 98-104
        <= v105 98-105
        <= v106 98-106
        <= v107 98-107
        <= v108 98-108
        <= v109 98-110
        <= v110 98-108,110
        <= v111 98-111,114
        <= v112 98-114
        <= v113 98-114
        <= v114 98-110,114
        <= v115 115
        <= v116 115-116
        <= v117 115-117
        <= v118 115-118
        <= v119 115-119
        <= v120 120
        <= v121 120-121
        <= v122 120-122
        <= v123 120-123
        <= v124 120-125
        <= v125 120-125
        <= v126 120-126
        <= v127 120-127
        <= v128 120-128
        <= v129 120-129,135
        <= v130 120-130,135
        <= v131 120-131,135
        <= v132 120-132,135
        <= v133 120-135
        <= v134 120-132,134-135
        <= v135 120-128,135
        > v0 -
        > v1 2
        > v2 -
        > v3 -
        > v4 5-40
        > v5 6-40
        > v6 7-40
        > v7 9-40
        > v8 9-40
        > v9 10-40
        > v10 11-40
        > v11 12-40
        > v12 14-40
        > v13 14-40
        > v14 15-40
        > v15 16-40
        > v16 18-40
        > v17 18-40
        > v18 19-40
        > v19 20-40
        > v20 23-40
        > v21 23-40
        > v22 23-40
        > v23 24-40
        > v24 25-40
        > v25 27-40
        > v26 27-40
        > v27 28-40
        > v28 29-40
        > v29 30-40
        > v30 32-40
        > v31 32-40
        > v32 33-40
        > v33 35-40
        > v34 35-40
        > v35 36-40
        > v36 37-40
        > v37 38-40
        > v38 39-40
        > v39 40
        > v40 -
        > v41 42-46
        > v42 43-46
        > v43 44-46
        > v44 45-46
        > v45 46
        > v46 -
        > v47 48-68
        > v48 49-68
        > v49 50-68
        > v50 51-68
        > v51 52-68
        > v52 53-68
        > v53 54-68
        > v54 55-68
        > v55 56-68
        > v56 57-68
        > v57 58-68
        > v58 59-68
        > v59 60-68
        > v60 61-68
        > v61 62-68
        > v62 63-68
        > v63 64-68
        > v64 65-68
        > v65 66-68
        > v66 67-68
        > v67 68
        > v68 -
        > v69 70-76
        > v70 71-76
        > v71 72-76
        > v72 73-76
        > v73 74-76
        > v74 75-76
        > v75 76
        > v76 -
        > v77 78-81,87-88,90
        > v78 80-81,87-88,90
        > v79 78,80-81,87-88,90
        > v80 81,87-88,90
        > v81 87-88,90
        > v82 77-81,83,86-88,90
        > v83 77-81,86-88,90
        > v84 77-83,85-88,90
        > v85 77-83,86-88,90
        > v86 77-81,87-88,90
        > v87 88,90
        > v88 90
        > v89 77-88,90
        > v90 -
        > v91 92-97
        > v92 93-97
        > v93 95-97
        > v94 93,95-97
        > v95 96-97
        > v96 97
        > v97 -
        > v98 99-114
        > v99 100-114
        > v100 101-114
        > v101 103-114
        > v102 103-114
        > v103 105-114
        > v104 105-114
        > v105 106-114
        > v106 107-114
        > v107 108-114
        > v108 109-114
        > v109 111-114
        > v110 109,111-114
        > v111 112-113
        > v112 -
        > v113 -
        > v114 111-113
        > v115 116-119
        > v116 117-119
        > v117 118-119
        > v118 119
        > v119 -
        > v120 121-135
        > v121 122-135
        > v122 123-135
        > v123 124-135
        > v124 126-135
        > v125 126-135
        > v126 127-135
        > v127 128-135
        > v128 129-135
        > v129 130-134
        > v130 131-134
        > v131 132-134
        > v132 133-134
        > v133 -
        > v134 133
        > v135 129-134
        >= v0 -
        >= v1 1-2
        >= v2 2
        >= v3 -
        >= v4 4-40
        >= v5 5-40
        >= v6 6-40
        >= v7 7-40
        >= v8 7-40
        >= v9 9-40
        >= v10 10-40
        >= v11 11-40
        >= v12 12-40
        >= v13 12-40
        >= v14 14-40
        >= v15 15-40
        >= v16 16-40
        >= v17 16-40
        >= v18 18-40
        >= v19 19-40
        >= v20 20-40
        >= v21 20-40
        >= v22 20-40
        >= v23 23-40
        >= v24 24-40
        >= v25 25-40
        >= v26 25-40
        >= v27 27-40
        >= v28 28-40
        >= v29 29-40
        >= v30 30-40
        >= v31 30-40
        >= v32 32-40
        >= v33 33-40
        >= v34 33-40
        >= v35 35-40
        >= v36 36-40
        >= v37 37-40
        >= v38 38-40
        >= v39 39-40
        >= v40 40
        >= v41 41-46
        >= v42 42-46
        >= v43 43-46
        >= v44 44-46
        >= v45 45-46
        >= v46 46
        >= v47 47-68
        >= v48 48-68
        >= v49 49-68
        >= v50 50-68
        >= v51 51-68
        >= v52 52-68
        >= v53 53-68
        >= v54 54-68
        >= v55 55-68
        >= v56 56-68
        >= v57 57-68
        >= v58 58-68
        >= v59 59-68
        >= v60 60-68
        >= v61 61-68
        >= v62 62-68
        >= v63 63-68
        >= v64 64-68
        >= v65 65-68
        >= v66 66-68
        >= v67 67-68
        >= v68 68
        >= v69 69-76
        >= v70 70-76
        >= v71 71-76
        >= v72 72-76
        >= v73 73-76
        >= v74 74-76
        >= v75 75-76
        >= v76 76
        >= v77 77-81,87-88,90
        >= v78 78,80-81,87-88,90
        >= v79 78-81,87-88,90
        >= v80 80-81,87-88,90
        >= v81 81,87-88,90
        >= v82 77-83,86-88,90
        >= v83 77-81,83,86-88,90
        >= v84 77-88,90
        >= v85 77-83,85-88,90
        >= v86 77-81,86-88,90
        >= v87 87-88,90
        >= v88 88,90
        >= v89 77-90
        >= v90 90
        >= v91 91-97
        >= v92 92-97
        >= v93 93,95-97
        >= v94 93-97
        >= v95 95-97
        >= v96 96-97
        >= v97 97
        >= v98 98-114
        >= v99 99-114
        >= v100 100-114
        >= v101 101-114
        >= v102 101-114
        >= v103 103-114
        >= v104 103-114
        >= v105 105-114
        >= v106 106-114
        >= v107 107-114
        >= v108 108-114
        >= v109 109,111-114
        >= v110 109-114
        >= v111 111-113
        >= v112 112-113
        >= v113 112-113
        >= v114 111-114
        >= v115 115-119
        >= v116 116-119
        >= v117 117-119
        >= v118 118-119
        >= v119 119
        >= v120 120-135
        >= v121 121-135
        >= v122 122-135
        >= v123 123-135
        >= v124 124-135
        >= v125 124-135
        >= v126 126-135
        >= v127 127-135
        >= v128 128-135
        >= v129 129-134
        >= v130 130-134
        >= v131 131-134
        >= v132 132-134
        >= v133 133
        >= v134 133-134
        >= v135 129-135
        == v0 -
        == v1 1
        == v2 2
        == v3 -
        == v4 4
        == v5 5
        == v6 6
        == v7 7-8
        == v8 7-8
        == v9 9
        == v10 10
        == v11 11
        == v12 12-13
        == v13 12-13
        == v14 14
        == v15 15
        == v16 16-17
        == v17 16-17
        == v18 18
        == v19 19
        == v20 20-22
        == v21 20-22
        == v22 20-22
        == v23 23
        == v24 24
        == v25 25-26
        == v26 25-26
        == v27 27
        == v28 28
        == v29 29
        == v30 30-31
        == v31 30-31
        == v32 32
        == v33 33-34
        == v34 33-34
        == v35 35
        == v36 36
        == v37 37
        == v38 38
        == v39 39
        == v40 40
        == v41 41
        == v42 42
        == v43 43
        == v44 44
        == v45 45
        == v46 46
        == v47 47
        == v48 48
        == v49 49
        == v50 50
        == v51 51
        == v52 52
        == v53 53
        == v54 54
        == v55 55
        == v56 56
        == v57 57
        == v58 58
        == v59 59
        == v60 60
        == v61 61
        == v62 62
        == v63 63
        == v64 64
        == v65 65
        == v66 66
        == v67 67
        == v68 68
        == v69 69
        == v70 70
        == v71 71
        == v72 72
        == v73 73
        == v74 74
        == v75 75
        == v76 76
        == v77 77
        == v78 78
        == v79 79
        == v80 80
        == v81 81
        == v82 82
        == v83 83
        == v84 84
        == v85 85
        == v86 86
        == v87 87
        == v88 88
        == v89 89
        == v90 90
        == v91 91
        == v92 92
        == v93 93
        == v94 94
        == v95 95
        == v96 96
        == v97 97
        == v98 98
        == v99 99
        == v100 100
        == v101 101-102
        == v102 101-102
        == v103 103-104
        == v104 103-104
        == v105 105
        == v106 106
        == v107 107
        == v108 108
        == v109 109
        == v110 110
        == v111 111
        == v112 112-113
        == v113 112-113
        == v114 114
        == v115 115
        == v116 116
        == v117 117
        == v118 118
        == v119 119
        == v120 120
        == v121 121
        == v122 122
        == v123 123
        == v124 124-125
        == v125 124-125
        == v126 126
        == v127 127
        == v128 128
        == v129 129
        == v130 130
        == v131 131
        == v132 132
        == v133 133
        == v134 134
        == v135 135
        != v0 -
        != v1 2-135
        != v2 1,3-135
        != v3 1-135
        != v4 1-3,5-135
        != v5 1-4,6-135
        != v6 1-5,7-135
        != v7 1-6,9-135
        != v8 1-6,9-135
        != v9 1-8,10-135
        != v10 1-9,11-135
        != v11 1-10,12-135
        != v12 1-11,14-135
        != v13 1-11,14-135
        != v14 1-13,15-135
        != v15 1-14,16-135
        != v16 1-15,18-135
        != v17 1-15,18-135
        != v18 1-17,19-135
        != v19 1-18,20-135
        != v20 1-19,23-135
        != v21 1-19,23-135
        != v22 1-19,23-135
        != v23 1-22,24-135
        != v24 1-23,25-135
        != v25 1-24,27-135
        != v26 1-24,27-135
        != v27 1-26,28-135
        != v28 1-27,29-135
        != v29 1-28,30-135
        != v30 1-29,32-135
        != v31 1-29,32-135
        != v32 1-31,33-135
        != v33 1-32,35-135
        != v34 1-32,35-135
        != v35 1-34,36-135
        != v36 1-35,37-135
        != v37 1-36,38-135
        != v38 1-37,39-135
        != v39 1-38,40-135
        != v40 1-39,41-135
        != v41 1-40,42-135
        != v42 1-41,43-135
        != v43 1-42,44-135
        != v44 1-43,45-135
        != v45 1-44,46-135
        != v46 1-45,47-135
        != v47 1-46,48-135
        != v48 1-47,49-135
        != v49 1-48,50-135
        != v50 1-49,51-135
        != v51 1-50,52-135
        != v52 1-51,53-135
        != v53 1-52,54-135
        != v54 1-53,55-135
        != v55 1-54,56-135
        != v56 1-55,57-135
        != v57 1-56,58-135
        != v58 1-57,59-135
        != v59 1-58,60-135
        != v60 1-59,61-135
        != v61 1-60,62-135
        != v62 1-61,63-135
        != v63 1-62,64-135
        != v64 1-63,65-135
        != v65 1-64,66-135
        != v66 1-65,67-135
        != v67 1-66,68-135
        != v68 1-67,69-135
        != v69 1-68,70-135
        != v70 1-69,71-135
        != v71 1-70,72-135
        != v72 1-71,73-135
        != v73 1-72,74-135
        != v74 1-73,75-135
        != v75 1-74,76-135
        != v76 1-75,77-135
        != v77 1-76,78-135
        != v78 1-77,79-135
        != v79 1-78,80-135
        != v80 1-79,81-135
        != v81 1-80,82-135
        != v82 1-81,83-135
        != v83 1-82,84-135
        != v84 1-83,85-135
        != v85 1-84,86-135
        != v86 1-85,87-135
        != v87 1-86,88-135
        != v88 1-87,89-135
        != v89 1-88,90-135
        != v90 1-89,91-135
        != v91 1-90,92-135
        != v92 1-91,93-135
        != v93 1-92,94-135
        != v94 1-93,95-135
        != v95 1-94,96-135
        != v96 1-95,97-135
        != v97 1-96,98-135
        != v98 1-97,99-135
        != v99 1-98,100-135
        != v100 1-99,101-135
        != v101 1-100,103-135
        != v102 1-100,103-135
        != v103 1-102,105-135
        != v104 1-102,105-135
        != v105 1-104,106-135
        != v106 1-105,107-135
        != v107 1-106,108-135
        != v108 1-107,109-135
        != v109 1-108,110-135
        != v110 1-109,111-135
        != v111 1-110,112-135
        != v112 1-111,114-135
        != v113 1-111,114-135
        != v114 1-113,115-135
        != v115 1-114,116-135
        != v116 1-115,117-135
        != v117 1-116,118-135
        != v118 1-117,119-135
        != v119 1-118,120-135
        != v120 1-119,121-135
        != v121 1-120,122-135
        != v122 1-121,123-135
        != v123 1-122,124-135
        != v124 1-123,126-135
        != v125 1-123,126-135
        != v126 1-125,127-135
        != v127 1-126,128-135
        != v128 1-127,129-135
        != v129 1-128,130-135
        != v130 1-129,131-135
        != v131 1-130,132-135
        != v132 1-131,133-135
        != v133 1-132,134-135
        != v134 1-133,135
        != v135 1-134
        array-contains v0 -
        array-contains v1 -
        array-contains v2 -
        array-contains v3 -
        array-contains v4 -
        array-contains v5 -
        array-contains v6 -
        array-contains v7 -
        array-contains v8 -
        array-contains v9 -
        array-contains v10 -
        array-contains v11 -
        array-contains v12 -
        array-contains v13 -
        array-contains v14 -
        array-contains v15 -
        array-contains v16 -
        array-contains v17 -
        array-contains v18 -
        array-contains v19 -
        array-contains v20 101-102
        array-contains v21 101-102
        array-contains v22 101-102
        array-contains v23 -
        array-contains v24 -
        array-contains v25 103-106
        array-contains v26 103-106
        array-contains v27 -
        array-contains v28 105,107
        array-contains v29 -
        array-contains v30 -
        array-contains v31 -
        array-contains v32 -
        array-contains v33 -
        array-contains v34 -
        array-contains v35 -
        array-contains v36 -
        array-contains v37 -
        array-contains v38 -
        array-contains v39 -
        array-contains v40 -
        array-contains v41 -
        array-contains v42 -
        array-contains v43 -
        array-contains v44 -
        array-contains v45 -
        array-contains v46 -
        array-contains v47 -
        array-contains v48 -
        array-contains v49 -
        array-contains v50 -
        array-contains v51 -
        array-contains v52 -
        array-contains v53 106,108
        array-contains v54 -
        array-contains v55 -
        array-contains v56 -
        array-contains v57 -
        array-contains v58 110
        array-contains v59 -
        array-contains v60 -
        array-contains v61 109
        array-contains v62 -
        array-contains v63 -
        array-contains v64 -
        array-contains v65 -
        array-contains v66 -
        array-contains v67 -
        array-contains v68 -
        array-contains v69 -
        array-contains v70 -
        array-contains v71 -
        array-contains v72 -
        array-contains v73 -
        array-contains v74 -
        array-contains v75 -
        array-contains v76 -
        array-contains v77 114
        array-contains v78 -
        array-contains v79 -
        array-contains v80 -
        array-contains v81 -
        array-contains v82 -
        array-contains v83 -
        array-contains v84 -
        array-contains v85 -
        array-contains v86 -
        array-contains v87 -
        array-contains v88 -
        array-contains v89 -
        array-contains v90 -
        array-contains v91 -
        array-contains v92 -
        array-contains v93 -
        array-contains v94 -
        array-contains v95 -
        array-contains v96 -
        array-contains v97 -
        array-contains v98 -
        array-contains v99 -
        array-contains v100 -
        array-contains v101 -
        array-contains v102 -
        array-contains v103 -
        array-contains v104 -
        array-contains v105 -
        array-contains v106 -
        array-contains v107 -
        array-contains v108 -
        array-contains v109 -
        array-contains v110 -
        array-contains v111 -
        array-contains v112 -
        array-contains v113 -
        array-contains v114 -
        array-contains v115 -
        array-contains v116 -
        array-contains v117 -
        array-contains v118 -
        array-contains v119 -
        array-contains v120 111
        array-contains v121 -
        array-contains v122 -
        array-contains v123 -
        array-contains v124 112-113
        array-contains v125 112-113
        array-contains v126 -
        array-contains v127 -
        array-contains v128 -
        array-contains v129 -
        array-contains v130 -
        array-contains v131 -
        array-contains v132 -
        array-contains v133 -
        array-contains v134 -
        array-contains v135 -
        in [v0] -
        in [v1] 1
        in [v2] 2
        in [v3] -
        in [v4] 4
        in [v5] 5
        in [v6] 6
        in [v7] 7-8
        in [v8] 7-8
        in [v9] 9
        in [v10] 10
        in [v11] 11
        in [v12] 12-13
        in [v13] 12-13
        in [v14] 14
        in [v15] 15
        in [v16] 16-17
        in [v17] 16-17
        in [v18] 18
        in [v19] 19
        in [v20] 20-22
        in [v21] 20-22
        in [v22] 20-22
        in [v23] 23
        in [v24] 24
        in [v25] 25-26
        in [v26] 25-26
        in [v27] 27
        in [v28] 28
        in [v29] 29
        in [v30] 30-31
        in [v31] 30-31
        in [v32] 32
        in [v33] 33-34
        in [v34] 33-34
        in [v35] 35
        in [v36] 36
        in [v37] 37
        in [v38] 38
        in [v39] 39
        in [v40] 40
        in [v41] 41
        in [v42] 42
        in [v43] 43
        in [v44] 44
        in [v45] 45
        in [v46] 46
        in [v47] 47
        in [v48] 48
        in [v49] 49
        in [v50] 50
        in [v51] 51
        in [v52] 52
        in [v53] 53
        in [v54] 54
        in [v55] 55
        in [v56] 56
        in [v57] 57
        in [v58] 58
        in [v59] 59
        in [v60] 60
        in [v61] 61
        in [v62] 62
        in [v63] 63
        in [v64] 64
        in [v65] 65
        in [v66] 66
        in [v67] 67
        in [v68] 68
        in [v69] 69
        in [v70] 70
        in [v71] 71
        in [v72] 72
        in [v73] 73
        in [v74] 74
        in [v75] 75
        in [v76] 76
        in [v77] 77
        in [v78] 78
        in [v79] 79
        in [v80] 80
        in [v81] 81
        in [v82] 82
        in [v83] 83
        in [v84] 84
        in [v85] 85
        in [v86] 86
        in [v87] 87
        in [v88] 88
        in [v89] 89
        in [v90] 90
        in [v91] 91
        in [v92] 92
        in [v93] 93
        in [v94] 94
        in [v95] 95
        in [v96] 96
        in [v97] 97
        in [v98] 98
        in [v99] 99
        in [v100] 100
        in [v101] 101-102
        in [v102] 101-102
        in [v103] 103-104
        in [v104] 103-104
        in [v105] 105
        in [v106] 106
        in [v107] 107
        in [v108] 108
        in [v109] 109
        in [v110] 110
        in [v111] 111
        in [v112] 112-113
        in [v113] 112-113
        in [v114] 114
        in [v115] 115
        in [v116] 116
        in [v117] 117
        in [v118] 118
        in [v119] 119
        in [v120] 120
        in [v121] 121
        in [v122] 122
        in [v123] 123
        in [v124] 124-125
        in [v125] 124-125
        in [v126] 126
        in [v127] 127
        in [v128] 128
        in [v129] 129
        in [v130] 130
        in [v131] 131
        in [v132] 132
        in [v133] 133
        in [v134] 134
        in [v135] 135
        in l0 -
        in l1 -
        in l2 25-26
        in l3 25-26
        in l4 25-26,53
        in l5 2,20-22
        in l6 30-32
        in l7 61
        in l8 58
        in l9 103-104,124-125
        in l10 105,115
        in l11 98,120
        in l12 77,81
        in l13 43,70,93
        in l14 99
        in l15 100
        in l16 122
        in l17 123
        not-in [v0] -
        not-in [v1] 2-135
        not-in [v2] 1,3-135
        not-in [v3] 1-135
        not-in [v4] 1-3,5-135
        not-in [v5] 1-4,6-135
        not-in [v6] 1-5,7-135
        not-in [v7] 1-6,9-135
        not-in [v8] 1-6,9-135
        not-in [v9] 1-8,10-135
        not-in [v10] 1-9,11-135
        not-in [v11] 1-10,12-135
        not-in [v12] 1-11,14-135
        not-in [v13] 1-11,14-135
        not-in [v14] 1-13,15-135
        not-in [v15] 1-14,16-135
        not-in [v16] 1-15,18-135
        not-in [v17] 1-15,18-135
        not-in [v18] 1-17,19-135
        not-in [v19] 1-18,20-135
        not-in [v20] 1-19,23-135
        not-in [v21] 1-19,23-135
        not-in [v22] 1-19,23-135
        not-in [v23] 1-22,24-135
        not-in [v24] 1-23,25-135
        not-in [v25] 1-24,27-135
        not-in [v26] 1-24,27-135
        not-in [v27] 1-26,28-135
        not-in [v28] 1-27,29-135
        not-in [v29] 1-28,30-135
        not-in [v30] 1-29,32-135
        not-in [v31] 1-29,32-135
        not-in [v32] 1-31,33-135
        not-in [v33] 1-32,35-135
        not-in [v34] 1-32,35-135
        not-in [v35] 1-34,36-135
        not-in [v36] 1-35,37-135
        not-in [v37] 1-36,38-135
        not-in [v38] 1-37,39-135
        not-in [v39] 1-38,40-135
        not-in [v40] 1-39,41-135
        not-in [v41] 1-40,42-135
        not-in [v42] 1-41,43-135
        not-in [v43] 1-42,44-135
        not-in [v44] 1-43,45-135
        not-in [v45] 1-44,46-135
        not-in [v46] 1-45,47-135
        not-in [v47] 1-46,48-135
        not-in [v48] 1-47,49-135
        not-in [v49] 1-48,50-135
        not-in [v50] 1-49,51-135
        not-in [v51] 1-50,52-135
        not-in [v52] 1-51,53-135
        not-in [v53] 1-52,54-135
        not-in [v54] 1-53,55-135
        not-in [v55] 1-54,56-135
        not-in [v56] 1-55,57-135
        not-in [v57] 1-56,58-135
        not-in [v58] 1-57,59-135
        not-in [v59] 1-58,60-135
        not-in [v60] 1-59,61-135
        not-in [v61] 1-60,62-135
        not-in [v62] 1-61,63-135
        not-in [v63] 1-62,64-135
        not-in [v64] 1-63,65-135
        not-in [v65] 1-64,66-135
        not-in [v66] 1-65,67-135
        not-in [v67] 1-66,68-135
        not-in [v68] 1-67,69-135
        not-in [v69] 1-68,70-135
        not-in [v70] 1-69,71-135
        not-in [v71] 1-70,72-135
        not-in [v72] 1-71,73-135
        not-in [v73] 1-72,74-135
        not-in [v74] 1-73,75-135
        not-in [v75] 1-74,76-135
        not-in [v76] 1-75,77-135
        not-in [v77] 1-76,78-135
        not-in [v78] 1-77,79-135
        not-in [v79] 1-78,80-135
        not-in [v80] 1-79,81-135
        not-in [v81] 1-80,82-135
        not-in [v82] 1-81,83-135
        not-in [v83] 1-82,84-135
        not-in [v84] 1-83,85-135
        not-in [v85] 1-84,86-135
        not-in [v86] 1-85,87-135
        not-in [v87] 1-86,88-135
        not-in [v88] 1-87,89-135
        not-in [v89] 1-88,90-135
        not-in [v90] 1-89,91-135
        not-in [v91] 1-90,92-135
        not-in [v92] 1-91,93-135
        not-in [v93] 1-92,94-135
        not-in [v94] 1-93,95-135
        not-in [v95] 1-94,96-135
        not-in [v96] 1-95,97-135
        not-in [v97] 1-96,98-135
        not-in [v98] 1-97,99-135
        not-in [v99] 1-98,100-135
        not-in [v100] 1-99,101-135
        not-in [v101] 1-100,103-135
        not-in [v102] 1-100,103-135
        not-in [v103] 1-102,105-135
        not-in [v104] 1-102,105-135
        not-in [v105] 1-104,106-135
        not-in [v106] 1-105,107-135
        not-in [v107] 1-106,108-135
        not-in [v108] 1-107,109-135
        not-in [v109] 1-108,110-135
        not-in [v110] 1-109,111-135
        not-in [v111] 1-110,112-135
        not-in [v112] 1-111,114-135
        not-in [v113] 1-111,114-135
        not-in [v114] 1-113,115-135
        not-in [v115] 1-114,116-135
        not-in [v116] 1-115,117-135
        not-in [v117] 1-116,118-135
        not-in [v118] 1-117,119-135
        not-in [v119] 1-118,120-135
        not-in [v120] 1-119,121-135
        not-in [v121] 1-120,122-135
        not-in [v122] 1-121,123-135
        not-in [v123] 1-122,124-135
        not-in [v124] 1-123,126-135
        not-in [v125] 1-123,126-135
        not-in [v126] 1-125,127-135
        not-in [v127] 1-126,128-135
        not-in [v128] 1-127,129-135
        not-in [v129] 1-128,130-135
        not-in [v130] 1-129,131-135
        not-in [v131] 1-130,132-135
        not-in [v132] 1-131,133-135
        not-in [v133] 1-132,134-135
        not-in [v134] 1-133,135
        not-in [v135] 1-134
        not-in l0 -
        not-in l1 1-135
        not-in l2 -
        not-in l3 1-24,27-135
        not-in l4 1-24,27-52,54-135
        not-in l5 1,3-19,23-135
        not-in l6 1-29,33-135
        not-in l7 1-60,62-135
        not-in l8 1-57,59-135
        not-in l9 1-102,105-123,126-135
        not-in l10 1-104,106-114,116-135
        not-in l11 1-97,99-119,121-135
        not-in l12 1-76,78-80,82-135
        not-in l13 1-42,44-69,71-92,94-135
        not-in l14 1-98,100-135
        not-in l15 1-99,101-135
        not-in l16 1-121,123-135
        not-in l17 1-122,124-135
        array-contains-any [v0] -
        array-contains-any [v1] -
        array-contains-any [v2] -
        array-contains-any [v3] -
        array-contains-any [v4] -
        array-contains-any [v5] -
        array-contains-any [v6] -
        array-contains-any [v7] -
        array-contains-any [v8] -
        array-contains-any [v9] -
        array-contains-any [v10] -
        array-contains-any [v11] -
        array-contains-any [v12] -
        array-contains-any [v13] -
        array-contains-any [v14] -
        array-contains-any [v15] -
        array-contains-any [v16] -
        array-contains-any [v17] -
        array-contains-any [v18] -
        array-contains-any [v19] -
        array-contains-any [v20] 101-102
        array-contains-any [v21] 101-102
        array-contains-any [v22] 101-102
        array-contains-any [v23] -
        array-contains-any [v24] -
        array-contains-any [v25] 103-106
        array-contains-any [v26] 103-106
        array-contains-any [v27] -
        array-contains-any [v28] 105,107
        array-contains-any [v29] -
        array-contains-any [v30] -
        array-contains-any [v31] -
        array-contains-any [v32] -
        array-contains-any [v33] -
        array-contains-any [v34] -
        array-contains-any [v35] -
        array-contains-any [v36] -
        array-contains-any [v37] -
        array-contains-any [v38] -
        array-contains-any [v39] -
        array-contains-any [v40] -
        array-contains-any [v41] -
        array-contains-any [v42] -
        array-contains-any [v43] -
        array-contains-any [v44] -
        array-contains-any [v45] -
        array-contains-any [v46] -
        array-contains-any [v47] -
        array-contains-any [v48] -
        array-contains-any [v49] -
        array-contains-any [v50] -
        array-contains-any [v51] -
        array-contains-any [v52] -
        array-contains-any [v53] 106,108
        array-contains-any [v54] -
        array-contains-any [v55] -
        array-contains-any [v56] -
        array-contains-any [v57] -
        array-contains-any [v58] 110
        array-contains-any [v59] -
        array-contains-any [v60] -
        array-contains-any [v61] 109
        array-contains-any [v62] -
        array-contains-any [v63] -
        array-contains-any [v64] -
        array-contains-any [v65] -
        array-contains-any [v66] -
        array-contains-any [v67] -
        array-contains-any [v68] -
        array-contains-any [v69] -
        array-contains-any [v70] -
        array-contains-any [v71] -
        array-contains-any [v72] -
        array-contains-any [v73] -
        array-contains-any [v74] -
        array-contains-any [v75] -
        array-contains-any [v76] -
        array-contains-any [v77] 114
        array-contains-any [v78] -
        array-contains-any [v79] -
        array-contains-any [v80] -
        array-contains-any [v81] -
        array-contains-any [v82] -
        array-contains-any [v83] -
        array-contains-any [v84] -
        array-contains-any [v85] -
        array-contains-any [v86] -
        array-contains-any [v87] -
        array-contains-any [v88] -
        array-contains-any [v89] -
        array-contains-any [v90] -
        array-contains-any [v91] -
        array-contains-any [v92] -
        array-contains-any [v93] -
        array-contains-any [v94] -
        array-contains-any [v95] -
        array-contains-any [v96] -
        array-contains-any [v97] -
        array-contains-any [v98] -
        array-contains-any [v99] -
        array-contains-any [v100] -
        array-contains-any [v101] -
        array-contains-any [v102] -
        array-contains-any [v103] -
        array-contains-any [v104] -
        array-contains-any [v105] -
        array-contains-any [v106] -
        array-contains-any [v107] -
        array-contains-any [v108] -
        array-contains-any [v109] -
        array-contains-any [v110] -
        array-contains-any [v111] -
        array-contains-any [v112] -
        array-contains-any [v113] -
        array-contains-any [v114] -
        array-contains-any [v115] -
        array-contains-any [v116] -
        array-contains-any [v117] -
        array-contains-any [v118] -
        array-contains-any [v119] -
        array-contains-any [v120] 111
        array-contains-any [v121] -
        array-contains-any [v122] -
        array-contains-any [v123] -
        array-contains-any [v124] 112-113
        array-contains-any [v125] 112-113
        array-contains-any [v126] -
        array-contains-any [v127] -
        array-contains-any [v128] -
        array-contains-any [v129] -
        array-contains-any [v130] -
        array-contains-any [v131] -
        array-contains-any [v132] -
        array-contains-any [v133] -
        array-contains-any [v134] -
        array-contains-any [v135] -
        array-contains-any l0 -
        array-contains-any l1 -
        array-contains-any l2 103-106
        array-contains-any l3 103-106
        array-contains-any l4 103-106,108
        array-contains-any l5 101-102
        array-contains-any l6 -
        array-contains-any l7 109
        array-contains-any l8 110
        array-contains-any l9 112-113
        array-contains-any l10 -
        array-contains-any l11 111
        array-contains-any l12 114
        array-contains-any l13 -
        array-contains-any l14 -
        array-contains-any l15 -
        array-contains-any l16 -
        array-contains-any l17 -
        isNaN - 3
        isNull - 0
        isNotNaN - 1-2,4-135
        isNotNull - 1-135
        """#

    /// Document ids in the order of their names.
    static let documentIDs: [String] = [
        "__id-9223372036854775808__",
        "__id-3__",
        "__id7__",
        "__id10__",
        "__id9223372036854775807__",
        " ",
        "!",
        "...",
        ".a",
        "0",
        "10",
        "9",
        "A",
        "B",
        "_",
        "__",
        "__id7_",
        "__id7__x",
        "__x",
        "_id7__",
        "a",
        "a!",
        "a-",
        "a0",
        "aa",
        "b",
        "e\u{301}",
        "f",
        "x__",
        "{",
        "~",
        "\u{E9}",
        "\u{212B}",
        "\u{AC00}",
        "\u{E000}",
        "\u{FB00}",
        "\u{10000}",
        "\u{1F600}",
    ]

    /// Document ids that were refused.
    static let refusedDocumentIDs: [String] = [
        "__id0__",
        "__id9223372036854775808__",
        "__id007__",
        "__id-0__",
        "__id+7__",
        "__id__",
        "__idx__",
        "__ID7__",
        "__x__",
        "..",
    ]

    /// Field paths that were accepted.
    static let fieldPaths: [String] = [
        "a",
        "a.b",
        "_",
        "a1",
        "`a`",
        "`a.b`",
        "`1a`",
        "`a\\`b`",
        "`a\\\\b`",
        "`a\\b`",
        "`\u{E9}`",
        "`a~*/[]b`",
        "__name__",
        "a.`b`.c",
        "`a`.`b`",
        "`$a`",
        "a.`1`",
    ]

    /// Field paths that were refused.
    static let refusedFieldPaths: [String] = [
        "1a",
        "a..b",
        ".a",
        "a.",
        "",
        "``",
        "a.``",
        "``.a",
        "`a",
        "a`",
        "`a``b`",
        "a`b`",
        "`a`b",
        "a\\.b",
        "`a\\.b`",
        "a\\b",
        "`a\\",
        "a-b",
        "a b",
        "\u{E9}",
        "a~b",
        "`__x__`",
        "a\\`b",
        "$a",
        "a.1",
    ]

    /// The values that were transformed, by number.
    static let bases: [Value?] = [
        nil,
        .null,
        .boolean(true),
        .string("x"),
        .array([]),
        .map(.empty),
        .timestamp(Timestamp(seconds: 5, nanoseconds: 0)),
        .double(.nan),
        .double(.infinity),
        .double(-.infinity),
        .integer(0),
        .double(0.0),
        .double(-0.0),
        .integer(3),
        .double(3.0),
        .double(2.5),
        .integer(-4),
        .integer(9223372036854775807),
        .integer(.min),
        .double(0x1.0000000000000p+63),
        .integer(9007199254740993),
        .array([.integer(1), .double(1.0), .integer(2), .integer(1)]),
        .array([.double(.nan), .null, .string("a"), .double(.nan)]),
        .array([.double(-0.0), .integer(0)]),
        .array([.map(MapValue([("a", .integer(1))])), .map(MapValue([("a", .double(1.0))])), .string("\u{E9}")]),
        .map(MapValue([("__type__", .string("__vector__")), ("value", .array([.double(1.0), .double(2.0)]))])),
    ]

    /// Operands of increment, maximum and minimum, by number.
    static let numbers: [Value] = [
        .integer(0),
        .integer(1),
        .integer(-1),
        .integer(3),
        .double(3.0),
        .double(2.5),
        .double(0.0),
        .double(-0.0),
        .double(.nan),
        .double(.infinity),
        .double(-.infinity),
        .integer(9223372036854775807),
        .integer(.min),
        .double(0x1.0000000000000p+53),
        .double(0x1.0000000000000p+63),
        .double(-0x1.0000000000000p+63),
    ]

    /// Operands of array union and removal, by number.
    static let elements: [[Value]] = [
        [],
        [.integer(1)],
        [.double(1.0)],
        [.integer(1), .double(1.0)],
        [.double(0.0), .integer(0), .double(-0.0)],
        [.double(.nan), .double(.nan)],
        [.null],
        [.string("e\u{301}"), .string("\u{E9}")],
        [.map(MapValue([("a", .double(1.0))]))],
        [.integer(2), .string("b"), .integer(2)],
        [.map(MapValue([("__type__", .string("__vector__")), ("value", .array([.double(1.0)]))])), .map(.empty)],
    ]

    /// Transform, operand, and what became of each base.
    static let transforms = #"""
        increment 0 i0 i0 i0 i0 i0 i0 i0 dNaN d7ff0000000000000 dfff0000000000000 i0 d0000000000000000 d0000000000000000 i3 d4008000000000000 d4004000000000000 i-4 i9223372036854775807 i-9223372036854775808 d43e0000000000000 i9007199254740993 i0 i0 i0 i0 i0
        increment 1 i1 i1 i1 i1 i1 i1 i1 dNaN d7ff0000000000000 dfff0000000000000 i1 d3ff0000000000000 d3ff0000000000000 i4 d4010000000000000 d400c000000000000 i-3 i9223372036854775807 i-9223372036854775807 d43e0000000000000 i9007199254740994 i1 i1 i1 i1 i1
        increment 2 i-1 i-1 i-1 i-1 i-1 i-1 i-1 dNaN d7ff0000000000000 dfff0000000000000 i-1 dbff0000000000000 dbff0000000000000 i2 d4000000000000000 d3ff8000000000000 i-5 i9223372036854775806 i-9223372036854775808 d43e0000000000000 i9007199254740992 i-1 i-1 i-1 i-1 i-1
        increment 3 i3 i3 i3 i3 i3 i3 i3 dNaN d7ff0000000000000 dfff0000000000000 i3 d4008000000000000 d4008000000000000 i6 d4018000000000000 d4016000000000000 i-1 i9223372036854775807 i-9223372036854775805 d43e0000000000000 i9007199254740996 i3 i3 i3 i3 i3
        increment 4 d4008000000000000 d4008000000000000 d4008000000000000 d4008000000000000 d4008000000000000 d4008000000000000 d4008000000000000 dNaN d7ff0000000000000 dfff0000000000000 d4008000000000000 d4008000000000000 d4008000000000000 d4018000000000000 d4018000000000000 d4016000000000000 dbff0000000000000 d43e0000000000000 dc3e0000000000000 d43e0000000000000 d4340000000000002 d4008000000000000 d4008000000000000 d4008000000000000 d4008000000000000 d4008000000000000
        increment 5 d4004000000000000 d4004000000000000 d4004000000000000 d4004000000000000 d4004000000000000 d4004000000000000 d4004000000000000 dNaN d7ff0000000000000 dfff0000000000000 d4004000000000000 d4004000000000000 d4004000000000000 d4016000000000000 d4016000000000000 d4014000000000000 dbff8000000000000 d43e0000000000000 dc3e0000000000000 d43e0000000000000 d4340000000000001 d4004000000000000 d4004000000000000 d4004000000000000 d4004000000000000 d4004000000000000
        increment 6 d0000000000000000 d0000000000000000 d0000000000000000 d0000000000000000 d0000000000000000 d0000000000000000 d0000000000000000 dNaN d7ff0000000000000 dfff0000000000000 d0000000000000000 d0000000000000000 d0000000000000000 d4008000000000000 d4008000000000000 d4004000000000000 dc010000000000000 d43e0000000000000 dc3e0000000000000 d43e0000000000000 d4340000000000000 d0000000000000000 d0000000000000000 d0000000000000000 d0000000000000000 d0000000000000000
        increment 7 d8000000000000000 d8000000000000000 d8000000000000000 d8000000000000000 d8000000000000000 d8000000000000000 d8000000000000000 dNaN d7ff0000000000000 dfff0000000000000 d0000000000000000 d0000000000000000 d8000000000000000 d4008000000000000 d4008000000000000 d4004000000000000 dc010000000000000 d43e0000000000000 dc3e0000000000000 d43e0000000000000 d4340000000000000 d8000000000000000 d8000000000000000 d8000000000000000 d8000000000000000 d8000000000000000
        increment 8 dNaN dNaN dNaN dNaN dNaN dNaN dNaN dNaN dNaN dNaN dNaN dNaN dNaN dNaN dNaN dNaN dNaN dNaN dNaN dNaN dNaN dNaN dNaN dNaN dNaN dNaN
        increment 9 d7ff0000000000000 d7ff0000000000000 d7ff0000000000000 d7ff0000000000000 d7ff0000000000000 d7ff0000000000000 d7ff0000000000000 dNaN d7ff0000000000000 dNaN d7ff0000000000000 d7ff0000000000000 d7ff0000000000000 d7ff0000000000000 d7ff0000000000000 d7ff0000000000000 d7ff0000000000000 d7ff0000000000000 d7ff0000000000000 d7ff0000000000000 d7ff0000000000000 d7ff0000000000000 d7ff0000000000000 d7ff0000000000000 d7ff0000000000000 d7ff0000000000000
        increment 10 dfff0000000000000 dfff0000000000000 dfff0000000000000 dfff0000000000000 dfff0000000000000 dfff0000000000000 dfff0000000000000 dNaN dNaN dfff0000000000000 dfff0000000000000 dfff0000000000000 dfff0000000000000 dfff0000000000000 dfff0000000000000 dfff0000000000000 dfff0000000000000 dfff0000000000000 dfff0000000000000 dfff0000000000000 dfff0000000000000 dfff0000000000000 dfff0000000000000 dfff0000000000000 dfff0000000000000 dfff0000000000000
        increment 11 i9223372036854775807 i9223372036854775807 i9223372036854775807 i9223372036854775807 i9223372036854775807 i9223372036854775807 i9223372036854775807 dNaN d7ff0000000000000 dfff0000000000000 i9223372036854775807 d43e0000000000000 d43e0000000000000 i9223372036854775807 d43e0000000000000 d43e0000000000000 i9223372036854775803 i9223372036854775807 i-1 d43f0000000000000 i9223372036854775807 i9223372036854775807 i9223372036854775807 i9223372036854775807 i9223372036854775807 i9223372036854775807
        increment 12 i-9223372036854775808 i-9223372036854775808 i-9223372036854775808 i-9223372036854775808 i-9223372036854775808 i-9223372036854775808 i-9223372036854775808 dNaN d7ff0000000000000 dfff0000000000000 i-9223372036854775808 dc3e0000000000000 dc3e0000000000000 i-9223372036854775805 dc3e0000000000000 dc3e0000000000000 i-9223372036854775808 i-1 i-9223372036854775808 d0000000000000000 i-9214364837600034815 i-9223372036854775808 i-9223372036854775808 i-9223372036854775808 i-9223372036854775808 i-9223372036854775808
        increment 13 d4340000000000000 d4340000000000000 d4340000000000000 d4340000000000000 d4340000000000000 d4340000000000000 d4340000000000000 dNaN d7ff0000000000000 dfff0000000000000 d4340000000000000 d4340000000000000 d4340000000000000 d4340000000000002 d4340000000000002 d4340000000000001 d433ffffffffffffc d43e0040000000000 dc3dff80000000000 d43e0040000000000 d4350000000000000 d4340000000000000 d4340000000000000 d4340000000000000 d4340000000000000 d4340000000000000
        increment 14 d43e0000000000000 d43e0000000000000 d43e0000000000000 d43e0000000000000 d43e0000000000000 d43e0000000000000 d43e0000000000000 dNaN d7ff0000000000000 dfff0000000000000 d43e0000000000000 d43e0000000000000 d43e0000000000000 d43e0000000000000 d43e0000000000000 d43e0000000000000 d43e0000000000000 d43f0000000000000 d0000000000000000 d43f0000000000000 d43e0040000000000 d43e0000000000000 d43e0000000000000 d43e0000000000000 d43e0000000000000 d43e0000000000000
        increment 15 dc3e0000000000000 dc3e0000000000000 dc3e0000000000000 dc3e0000000000000 dc3e0000000000000 dc3e0000000000000 dc3e0000000000000 dNaN d7ff0000000000000 dfff0000000000000 dc3e0000000000000 dc3e0000000000000 dc3e0000000000000 dc3e0000000000000 dc3e0000000000000 dc3e0000000000000 dc3e0000000000000 d0000000000000000 dc3f0000000000000 d0000000000000000 dc3dff80000000000 dc3e0000000000000 dc3e0000000000000 dc3e0000000000000 dc3e0000000000000 dc3e0000000000000
        maximum 0 i0 i0 i0 i0 i0 i0 i0 dNaN d7ff0000000000000 i0 i0 d0000000000000000 d8000000000000000 i3 d4008000000000000 d4004000000000000 i0 i9223372036854775807 i0 d43e0000000000000 i9007199254740993 i0 i0 i0 i0 i0
        maximum 1 i1 i1 i1 i1 i1 i1 i1 dNaN d7ff0000000000000 i1 i1 i1 i1 i3 d4008000000000000 d4004000000000000 i1 i9223372036854775807 i1 d43e0000000000000 i9007199254740993 i1 i1 i1 i1 i1
        maximum 2 i-1 i-1 i-1 i-1 i-1 i-1 i-1 dNaN d7ff0000000000000 i-1 i0 d0000000000000000 d8000000000000000 i3 d4008000000000000 d4004000000000000 i-1 i9223372036854775807 i-1 d43e0000000000000 i9007199254740993 i-1 i-1 i-1 i-1 i-1
        maximum 3 i3 i3 i3 i3 i3 i3 i3 dNaN d7ff0000000000000 i3 i3 i3 i3 i3 d4008000000000000 i3 i3 i9223372036854775807 i3 d43e0000000000000 i9007199254740993 i3 i3 i3 i3 i3
        maximum 4 d4008000000000000 d4008000000000000 d4008000000000000 d4008000000000000 d4008000000000000 d4008000000000000 d4008000000000000 dNaN d7ff0000000000000 d4008000000000000 d4008000000000000 d4008000000000000 d4008000000000000 i3 d4008000000000000 d4008000000000000 d4008000000000000 i9223372036854775807 d4008000000000000 d43e0000000000000 i9007199254740993 d4008000000000000 d4008000000000000 d4008000000000000 d4008000000000000 d4008000000000000
        maximum 5 d4004000000000000 d4004000000000000 d4004000000000000 d4004000000000000 d4004000000000000 d4004000000000000 d4004000000000000 dNaN d7ff0000000000000 d4004000000000000 d4004000000000000 d4004000000000000 d4004000000000000 i3 d4008000000000000 d4004000000000000 d4004000000000000 i9223372036854775807 d4004000000000000 d43e0000000000000 i9007199254740993 d4004000000000000 d4004000000000000 d4004000000000000 d4004000000000000 d4004000000000000
        maximum 6 d0000000000000000 d0000000000000000 d0000000000000000 d0000000000000000 d0000000000000000 d0000000000000000 d0000000000000000 dNaN d7ff0000000000000 d0000000000000000 i0 d0000000000000000 d8000000000000000 i3 d4008000000000000 d4004000000000000 d0000000000000000 i9223372036854775807 d0000000000000000 d43e0000000000000 i9007199254740993 d0000000000000000 d0000000000000000 d0000000000000000 d0000000000000000 d0000000000000000
        maximum 7 d8000000000000000 d8000000000000000 d8000000000000000 d8000000000000000 d8000000000000000 d8000000000000000 d8000000000000000 dNaN d7ff0000000000000 d8000000000000000 i0 d0000000000000000 d8000000000000000 i3 d4008000000000000 d4004000000000000 d8000000000000000 i9223372036854775807 d8000000000000000 d43e0000000000000 i9007199254740993 d8000000000000000 d8000000000000000 d8000000000000000 d8000000000000000 d8000000000000000
        maximum 8 dNaN dNaN dNaN dNaN dNaN dNaN dNaN dNaN dNaN dNaN dNaN dNaN dNaN dNaN dNaN dNaN dNaN dNaN dNaN dNaN dNaN dNaN dNaN dNaN dNaN dNaN
        maximum 9 d7ff0000000000000 d7ff0000000000000 d7ff0000000000000 d7ff0000000000000 d7ff0000000000000 d7ff0000000000000 d7ff0000000000000 dNaN d7ff0000000000000 d7ff0000000000000 d7ff0000000000000 d7ff0000000000000 d7ff0000000000000 d7ff0000000000000 d7ff0000000000000 d7ff0000000000000 d7ff0000000000000 d7ff0000000000000 d7ff0000000000000 d7ff0000000000000 d7ff0000000000000 d7ff0000000000000 d7ff0000000000000 d7ff0000000000000 d7ff0000000000000 d7ff0000000000000
        maximum 10 dfff0000000000000 dfff0000000000000 dfff0000000000000 dfff0000000000000 dfff0000000000000 dfff0000000000000 dfff0000000000000 dNaN d7ff0000000000000 dfff0000000000000 i0 d0000000000000000 d8000000000000000 i3 d4008000000000000 d4004000000000000 i-4 i9223372036854775807 i-9223372036854775808 d43e0000000000000 i9007199254740993 dfff0000000000000 dfff0000000000000 dfff0000000000000 dfff0000000000000 dfff0000000000000
        maximum 11 i9223372036854775807 i9223372036854775807 i9223372036854775807 i9223372036854775807 i9223372036854775807 i9223372036854775807 i9223372036854775807 dNaN d7ff0000000000000 i9223372036854775807 i9223372036854775807 i9223372036854775807 i9223372036854775807 i9223372036854775807 i9223372036854775807 i9223372036854775807 i9223372036854775807 i9223372036854775807 i9223372036854775807 d43e0000000000000 i9223372036854775807 i9223372036854775807 i9223372036854775807 i9223372036854775807 i9223372036854775807 i9223372036854775807
        maximum 12 i-9223372036854775808 i-9223372036854775808 i-9223372036854775808 i-9223372036854775808 i-9223372036854775808 i-9223372036854775808 i-9223372036854775808 dNaN d7ff0000000000000 i-9223372036854775808 i0 d0000000000000000 d8000000000000000 i3 d4008000000000000 d4004000000000000 i-4 i9223372036854775807 i-9223372036854775808 d43e0000000000000 i9007199254740993 i-9223372036854775808 i-9223372036854775808 i-9223372036854775808 i-9223372036854775808 i-9223372036854775808
        maximum 13 d4340000000000000 d4340000000000000 d4340000000000000 d4340000000000000 d4340000000000000 d4340000000000000 d4340000000000000 dNaN d7ff0000000000000 d4340000000000000 d4340000000000000 d4340000000000000 d4340000000000000 d4340000000000000 d4340000000000000 d4340000000000000 d4340000000000000 i9223372036854775807 d4340000000000000 d43e0000000000000 i9007199254740993 d4340000000000000 d4340000000000000 d4340000000000000 d4340000000000000 d4340000000000000
        maximum 14 d43e0000000000000 d43e0000000000000 d43e0000000000000 d43e0000000000000 d43e0000000000000 d43e0000000000000 d43e0000000000000 dNaN d7ff0000000000000 d43e0000000000000 d43e0000000000000 d43e0000000000000 d43e0000000000000 d43e0000000000000 d43e0000000000000 d43e0000000000000 d43e0000000000000 d43e0000000000000 d43e0000000000000 d43e0000000000000 d43e0000000000000 d43e0000000000000 d43e0000000000000 d43e0000000000000 d43e0000000000000 d43e0000000000000
        maximum 15 dc3e0000000000000 dc3e0000000000000 dc3e0000000000000 dc3e0000000000000 dc3e0000000000000 dc3e0000000000000 dc3e0000000000000 dNaN d7ff0000000000000 dc3e0000000000000 i0 d0000000000000000 d8000000000000000 i3 d4008000000000000 d4004000000000000 i-4 i9223372036854775807 i-9223372036854775808 d43e0000000000000 i9007199254740993 dc3e0000000000000 dc3e0000000000000 dc3e0000000000000 dc3e0000000000000 dc3e0000000000000
        minimum 0 i0 i0 i0 i0 i0 i0 i0 dNaN i0 dfff0000000000000 i0 d0000000000000000 d8000000000000000 i0 i0 i0 i-4 i0 i-9223372036854775808 i0 i0 i0 i0 i0 i0 i0
        minimum 1 i1 i1 i1 i1 i1 i1 i1 dNaN i1 dfff0000000000000 i0 d0000000000000000 d8000000000000000 i1 i1 i1 i-4 i1 i-9223372036854775808 i1 i1 i1 i1 i1 i1 i1
        minimum 2 i-1 i-1 i-1 i-1 i-1 i-1 i-1 dNaN i-1 dfff0000000000000 i-1 i-1 i-1 i-1 i-1 i-1 i-4 i-1 i-9223372036854775808 i-1 i-1 i-1 i-1 i-1 i-1 i-1
        minimum 3 i3 i3 i3 i3 i3 i3 i3 dNaN i3 dfff0000000000000 i0 d0000000000000000 d8000000000000000 i3 d4008000000000000 d4004000000000000 i-4 i3 i-9223372036854775808 i3 i3 i3 i3 i3 i3 i3
        minimum 4 d4008000000000000 d4008000000000000 d4008000000000000 d4008000000000000 d4008000000000000 d4008000000000000 d4008000000000000 dNaN d4008000000000000 dfff0000000000000 i0 d0000000000000000 d8000000000000000 i3 d4008000000000000 d4004000000000000 i-4 d4008000000000000 i-9223372036854775808 d4008000000000000 d4008000000000000 d4008000000000000 d4008000000000000 d4008000000000000 d4008000000000000 d4008000000000000
        minimum 5 d4004000000000000 d4004000000000000 d4004000000000000 d4004000000000000 d4004000000000000 d4004000000000000 d4004000000000000 dNaN d4004000000000000 dfff0000000000000 i0 d0000000000000000 d8000000000000000 d4004000000000000 d4004000000000000 d4004000000000000 i-4 d4004000000000000 i-9223372036854775808 d4004000000000000 d4004000000000000 d4004000000000000 d4004000000000000 d4004000000000000 d4004000000000000 d4004000000000000
        minimum 6 d0000000000000000 d0000000000000000 d0000000000000000 d0000000000000000 d0000000000000000 d0000000000000000 d0000000000000000 dNaN d0000000000000000 dfff0000000000000 i0 d0000000000000000 d8000000000000000 d0000000000000000 d0000000000000000 d0000000000000000 i-4 d0000000000000000 i-9223372036854775808 d0000000000000000 d0000000000000000 d0000000000000000 d0000000000000000 d0000000000000000 d0000000000000000 d0000000000000000
        minimum 7 d8000000000000000 d8000000000000000 d8000000000000000 d8000000000000000 d8000000000000000 d8000000000000000 d8000000000000000 dNaN d8000000000000000 dfff0000000000000 i0 d0000000000000000 d8000000000000000 d8000000000000000 d8000000000000000 d8000000000000000 i-4 d8000000000000000 i-9223372036854775808 d8000000000000000 d8000000000000000 d8000000000000000 d8000000000000000 d8000000000000000 d8000000000000000 d8000000000000000
        minimum 8 dNaN dNaN dNaN dNaN dNaN dNaN dNaN dNaN dNaN dNaN dNaN dNaN dNaN dNaN dNaN dNaN dNaN dNaN dNaN dNaN dNaN dNaN dNaN dNaN dNaN dNaN
        minimum 9 d7ff0000000000000 d7ff0000000000000 d7ff0000000000000 d7ff0000000000000 d7ff0000000000000 d7ff0000000000000 d7ff0000000000000 dNaN d7ff0000000000000 dfff0000000000000 i0 d0000000000000000 d8000000000000000 i3 d4008000000000000 d4004000000000000 i-4 i9223372036854775807 i-9223372036854775808 d43e0000000000000 i9007199254740993 d7ff0000000000000 d7ff0000000000000 d7ff0000000000000 d7ff0000000000000 d7ff0000000000000
        minimum 10 dfff0000000000000 dfff0000000000000 dfff0000000000000 dfff0000000000000 dfff0000000000000 dfff0000000000000 dfff0000000000000 dNaN dfff0000000000000 dfff0000000000000 dfff0000000000000 dfff0000000000000 dfff0000000000000 dfff0000000000000 dfff0000000000000 dfff0000000000000 dfff0000000000000 dfff0000000000000 dfff0000000000000 dfff0000000000000 dfff0000000000000 dfff0000000000000 dfff0000000000000 dfff0000000000000 dfff0000000000000 dfff0000000000000
        minimum 11 i9223372036854775807 i9223372036854775807 i9223372036854775807 i9223372036854775807 i9223372036854775807 i9223372036854775807 i9223372036854775807 dNaN i9223372036854775807 dfff0000000000000 i0 d0000000000000000 d8000000000000000 i3 d4008000000000000 d4004000000000000 i-4 i9223372036854775807 i-9223372036854775808 i9223372036854775807 i9007199254740993 i9223372036854775807 i9223372036854775807 i9223372036854775807 i9223372036854775807 i9223372036854775807
        minimum 12 i-9223372036854775808 i-9223372036854775808 i-9223372036854775808 i-9223372036854775808 i-9223372036854775808 i-9223372036854775808 i-9223372036854775808 dNaN i-9223372036854775808 dfff0000000000000 i-9223372036854775808 i-9223372036854775808 i-9223372036854775808 i-9223372036854775808 i-9223372036854775808 i-9223372036854775808 i-9223372036854775808 i-9223372036854775808 i-9223372036854775808 i-9223372036854775808 i-9223372036854775808 i-9223372036854775808 i-9223372036854775808 i-9223372036854775808 i-9223372036854775808 i-9223372036854775808
        minimum 13 d4340000000000000 d4340000000000000 d4340000000000000 d4340000000000000 d4340000000000000 d4340000000000000 d4340000000000000 dNaN d4340000000000000 dfff0000000000000 i0 d0000000000000000 d8000000000000000 i3 d4008000000000000 d4004000000000000 i-4 d4340000000000000 i-9223372036854775808 d4340000000000000 d4340000000000000 d4340000000000000 d4340000000000000 d4340000000000000 d4340000000000000 d4340000000000000
        minimum 14 d43e0000000000000 d43e0000000000000 d43e0000000000000 d43e0000000000000 d43e0000000000000 d43e0000000000000 d43e0000000000000 dNaN d43e0000000000000 dfff0000000000000 i0 d0000000000000000 d8000000000000000 i3 d4008000000000000 d4004000000000000 i-4 i9223372036854775807 i-9223372036854775808 d43e0000000000000 i9007199254740993 d43e0000000000000 d43e0000000000000 d43e0000000000000 d43e0000000000000 d43e0000000000000
        minimum 15 dc3e0000000000000 dc3e0000000000000 dc3e0000000000000 dc3e0000000000000 dc3e0000000000000 dc3e0000000000000 dc3e0000000000000 dNaN dc3e0000000000000 dfff0000000000000 dc3e0000000000000 dc3e0000000000000 dc3e0000000000000 dc3e0000000000000 dc3e0000000000000 dc3e0000000000000 dc3e0000000000000 dc3e0000000000000 i-9223372036854775808 dc3e0000000000000 dc3e0000000000000 dc3e0000000000000 dc3e0000000000000 dc3e0000000000000 dc3e0000000000000 dc3e0000000000000
        union 0 [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [i1,d3ff0000000000000,i2,i1] [dNaN,null,s61,dNaN] [d8000000000000000,i0] [{61:i1},{61:d3ff0000000000000},sc3a9] []
        union 1 [i1] [i1] [i1] [i1] [i1] [i1] [i1] [i1] [i1] [i1] [i1] [i1] [i1] [i1] [i1] [i1] [i1] [i1] [i1] [i1] [i1] [i1,d3ff0000000000000,i2,i1] [dNaN,null,s61,dNaN,i1] [d8000000000000000,i0,i1] [{61:i1},{61:d3ff0000000000000},sc3a9,i1] [i1]
        union 2 [d3ff0000000000000] [d3ff0000000000000] [d3ff0000000000000] [d3ff0000000000000] [d3ff0000000000000] [d3ff0000000000000] [d3ff0000000000000] [d3ff0000000000000] [d3ff0000000000000] [d3ff0000000000000] [d3ff0000000000000] [d3ff0000000000000] [d3ff0000000000000] [d3ff0000000000000] [d3ff0000000000000] [d3ff0000000000000] [d3ff0000000000000] [d3ff0000000000000] [d3ff0000000000000] [d3ff0000000000000] [d3ff0000000000000] [i1,d3ff0000000000000,i2,i1] [dNaN,null,s61,dNaN,d3ff0000000000000] [d8000000000000000,i0,d3ff0000000000000] [{61:i1},{61:d3ff0000000000000},sc3a9,d3ff0000000000000] [d3ff0000000000000]
        union 3 [i1] [i1] [i1] [i1] [i1] [i1] [i1] [i1] [i1] [i1] [i1] [i1] [i1] [i1] [i1] [i1] [i1] [i1] [i1] [i1] [i1] [i1,d3ff0000000000000,i2,i1] [dNaN,null,s61,dNaN,i1] [d8000000000000000,i0,i1] [{61:i1},{61:d3ff0000000000000},sc3a9,i1] [i1]
        union 4 [d0000000000000000] [d0000000000000000] [d0000000000000000] [d0000000000000000] [d0000000000000000] [d0000000000000000] [d0000000000000000] [d0000000000000000] [d0000000000000000] [d0000000000000000] [d0000000000000000] [d0000000000000000] [d0000000000000000] [d0000000000000000] [d0000000000000000] [d0000000000000000] [d0000000000000000] [d0000000000000000] [d0000000000000000] [d0000000000000000] [d0000000000000000] [i1,d3ff0000000000000,i2,i1,d0000000000000000] [dNaN,null,s61,dNaN,d0000000000000000] [d8000000000000000,i0] [{61:i1},{61:d3ff0000000000000},sc3a9,d0000000000000000] [d0000000000000000]
        union 5 [dNaN] [dNaN] [dNaN] [dNaN] [dNaN] [dNaN] [dNaN] [dNaN] [dNaN] [dNaN] [dNaN] [dNaN] [dNaN] [dNaN] [dNaN] [dNaN] [dNaN] [dNaN] [dNaN] [dNaN] [dNaN] [i1,d3ff0000000000000,i2,i1,dNaN] [dNaN,null,s61,dNaN] [d8000000000000000,i0,dNaN] [{61:i1},{61:d3ff0000000000000},sc3a9,dNaN] [dNaN]
        union 6 [null] [null] [null] [null] [null] [null] [null] [null] [null] [null] [null] [null] [null] [null] [null] [null] [null] [null] [null] [null] [null] [i1,d3ff0000000000000,i2,i1,null] [dNaN,null,s61,dNaN] [d8000000000000000,i0,null] [{61:i1},{61:d3ff0000000000000},sc3a9,null] [null]
        union 7 [s65cc81,sc3a9] [s65cc81,sc3a9] [s65cc81,sc3a9] [s65cc81,sc3a9] [s65cc81,sc3a9] [s65cc81,sc3a9] [s65cc81,sc3a9] [s65cc81,sc3a9] [s65cc81,sc3a9] [s65cc81,sc3a9] [s65cc81,sc3a9] [s65cc81,sc3a9] [s65cc81,sc3a9] [s65cc81,sc3a9] [s65cc81,sc3a9] [s65cc81,sc3a9] [s65cc81,sc3a9] [s65cc81,sc3a9] [s65cc81,sc3a9] [s65cc81,sc3a9] [s65cc81,sc3a9] [i1,d3ff0000000000000,i2,i1,s65cc81,sc3a9] [dNaN,null,s61,dNaN,s65cc81,sc3a9] [d8000000000000000,i0,s65cc81,sc3a9] [{61:i1},{61:d3ff0000000000000},sc3a9,s65cc81] [s65cc81,sc3a9]
        union 8 [{61:d3ff0000000000000}] [{61:d3ff0000000000000}] [{61:d3ff0000000000000}] [{61:d3ff0000000000000}] [{61:d3ff0000000000000}] [{61:d3ff0000000000000}] [{61:d3ff0000000000000}] [{61:d3ff0000000000000}] [{61:d3ff0000000000000}] [{61:d3ff0000000000000}] [{61:d3ff0000000000000}] [{61:d3ff0000000000000}] [{61:d3ff0000000000000}] [{61:d3ff0000000000000}] [{61:d3ff0000000000000}] [{61:d3ff0000000000000}] [{61:d3ff0000000000000}] [{61:d3ff0000000000000}] [{61:d3ff0000000000000}] [{61:d3ff0000000000000}] [{61:d3ff0000000000000}] [i1,d3ff0000000000000,i2,i1,{61:d3ff0000000000000}] [dNaN,null,s61,dNaN,{61:d3ff0000000000000}] [d8000000000000000,i0,{61:d3ff0000000000000}] [{61:i1},{61:d3ff0000000000000},sc3a9] [{61:d3ff0000000000000}]
        union 9 [i2,s62] [i2,s62] [i2,s62] [i2,s62] [i2,s62] [i2,s62] [i2,s62] [i2,s62] [i2,s62] [i2,s62] [i2,s62] [i2,s62] [i2,s62] [i2,s62] [i2,s62] [i2,s62] [i2,s62] [i2,s62] [i2,s62] [i2,s62] [i2,s62] [i1,d3ff0000000000000,i2,i1,s62] [dNaN,null,s61,dNaN,i2,s62] [d8000000000000000,i0,i2,s62] [{61:i1},{61:d3ff0000000000000},sc3a9,i2,s62] [i2,s62]
        union 10 [{5f5f747970655f5f:s5f5f766563746f725f5f,76616c7565:[d3ff0000000000000]},{}] [{5f5f747970655f5f:s5f5f766563746f725f5f,76616c7565:[d3ff0000000000000]},{}] [{5f5f747970655f5f:s5f5f766563746f725f5f,76616c7565:[d3ff0000000000000]},{}] [{5f5f747970655f5f:s5f5f766563746f725f5f,76616c7565:[d3ff0000000000000]},{}] [{5f5f747970655f5f:s5f5f766563746f725f5f,76616c7565:[d3ff0000000000000]},{}] [{5f5f747970655f5f:s5f5f766563746f725f5f,76616c7565:[d3ff0000000000000]},{}] [{5f5f747970655f5f:s5f5f766563746f725f5f,76616c7565:[d3ff0000000000000]},{}] [{5f5f747970655f5f:s5f5f766563746f725f5f,76616c7565:[d3ff0000000000000]},{}] [{5f5f747970655f5f:s5f5f766563746f725f5f,76616c7565:[d3ff0000000000000]},{}] [{5f5f747970655f5f:s5f5f766563746f725f5f,76616c7565:[d3ff0000000000000]},{}] [{5f5f747970655f5f:s5f5f766563746f725f5f,76616c7565:[d3ff0000000000000]},{}] [{5f5f747970655f5f:s5f5f766563746f725f5f,76616c7565:[d3ff0000000000000]},{}] [{5f5f747970655f5f:s5f5f766563746f725f5f,76616c7565:[d3ff0000000000000]},{}] [{5f5f747970655f5f:s5f5f766563746f725f5f,76616c7565:[d3ff0000000000000]},{}] [{5f5f747970655f5f:s5f5f766563746f725f5f,76616c7565:[d3ff0000000000000]},{}] [{5f5f747970655f5f:s5f5f766563746f725f5f,76616c7565:[d3ff0000000000000]},{}] [{5f5f747970655f5f:s5f5f766563746f725f5f,76616c7565:[d3ff0000000000000]},{}] [{5f5f747970655f5f:s5f5f766563746f725f5f,76616c7565:[d3ff0000000000000]},{}] [{5f5f747970655f5f:s5f5f766563746f725f5f,76616c7565:[d3ff0000000000000]},{}] [{5f5f747970655f5f:s5f5f766563746f725f5f,76616c7565:[d3ff0000000000000]},{}] [{5f5f747970655f5f:s5f5f766563746f725f5f,76616c7565:[d3ff0000000000000]},{}] [i1,d3ff0000000000000,i2,i1,{5f5f747970655f5f:s5f5f766563746f725f5f,76616c7565:[d3ff0000000000000]},{}] [dNaN,null,s61,dNaN,{5f5f747970655f5f:s5f5f766563746f725f5f,76616c7565:[d3ff0000000000000]},{}] [d8000000000000000,i0,{5f5f747970655f5f:s5f5f766563746f725f5f,76616c7565:[d3ff0000000000000]},{}] [{61:i1},{61:d3ff0000000000000},sc3a9,{5f5f747970655f5f:s5f5f766563746f725f5f,76616c7565:[d3ff0000000000000]},{}] [{5f5f747970655f5f:s5f5f766563746f725f5f,76616c7565:[d3ff0000000000000]},{}]
        remove 0 [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [i1,d3ff0000000000000,i2,i1] [dNaN,null,s61,dNaN] [d8000000000000000,i0] [{61:i1},{61:d3ff0000000000000},sc3a9] []
        remove 1 [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [i2] [dNaN,null,s61,dNaN] [d8000000000000000,i0] [{61:i1},{61:d3ff0000000000000},sc3a9] []
        remove 2 [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [i2] [dNaN,null,s61,dNaN] [d8000000000000000,i0] [{61:i1},{61:d3ff0000000000000},sc3a9] []
        remove 3 [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [i2] [dNaN,null,s61,dNaN] [d8000000000000000,i0] [{61:i1},{61:d3ff0000000000000},sc3a9] []
        remove 4 [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [i1,d3ff0000000000000,i2,i1] [dNaN,null,s61,dNaN] [] [{61:i1},{61:d3ff0000000000000},sc3a9] []
        remove 5 [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [i1,d3ff0000000000000,i2,i1] [null,s61] [d8000000000000000,i0] [{61:i1},{61:d3ff0000000000000},sc3a9] []
        remove 6 [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [i1,d3ff0000000000000,i2,i1] [dNaN,s61,dNaN] [d8000000000000000,i0] [{61:i1},{61:d3ff0000000000000},sc3a9] []
        remove 7 [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [i1,d3ff0000000000000,i2,i1] [dNaN,null,s61,dNaN] [d8000000000000000,i0] [{61:i1},{61:d3ff0000000000000}] []
        remove 8 [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [i1,d3ff0000000000000,i2,i1] [dNaN,null,s61,dNaN] [d8000000000000000,i0] [sc3a9] []
        remove 9 [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [i1,d3ff0000000000000,i1] [dNaN,null,s61,dNaN] [d8000000000000000,i0] [{61:i1},{61:d3ff0000000000000},sc3a9] []
        remove 10 [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [] [i1,d3ff0000000000000,i2,i1] [dNaN,null,s61,dNaN] [d8000000000000000,i0] [{61:i1},{61:d3ff0000000000000},sc3a9] []
        """#

    /// Document, values, mask and outcome of a masked write.
    static let masks: [(document: Value, values: Value, mask: [String], outcome: String)] = [
        (.map(MapValue([("a", .integer(1)), ("b", .integer(2))])), .map(MapValue([("a", .integer(9))])), ["a"], "{61:i9,62:i2}"),
        (.map(MapValue([("a", .integer(1)), ("b", .integer(2))])), .map(.empty), ["a"], "{62:i2}"),
        (.map(MapValue([("a", .integer(1)), ("b", .integer(2))])), .map(MapValue([("a", .integer(9)), ("b", .integer(9))])), [], "{61:i1,62:i2}"),
        (.map(MapValue([("a", .map(MapValue([("b", .integer(1)), ("c", .integer(2))])))])), .map(MapValue([("a", .map(MapValue([("b", .integer(9))])))])), ["a.b"], "{61:{62:i9,63:i2}}"),
        (.map(MapValue([("a", .map(MapValue([("b", .integer(1)), ("c", .integer(2))])))])), .map(MapValue([("a", .map(MapValue([("b", .integer(9))])))])), ["a"], "{61:{62:i9}}"),
        (.map(MapValue([("a", .map(MapValue([("b", .integer(1)), ("c", .integer(2))])))])), .map(.empty), ["a.b"], "{61:{63:i2}}"),
        (.map(MapValue([("a", .map(MapValue([("b", .integer(1))])))])), .map(.empty), ["a.b"], "{61:{}}"),
        (.map(MapValue([("a", .integer(5))])), .map(MapValue([("a", .map(MapValue([("b", .map(MapValue([("c", .integer(1))])))])))])), ["a.b.c"], "{61:{62:{63:i1}}}"),
        (.map(MapValue([("a", .integer(5))])), .map(.empty), ["a.b.c"], "{61:i5}"),
        (.map(.empty), .map(.empty), ["a.b.c"], "{}"),
        (.map(MapValue([("a", .array([.integer(1)]))])), .map(MapValue([("a", .map(MapValue([("b", .integer(1))])))])), ["a.b"], "{61:{62:i1}}"),
        (.map(MapValue([("a", .integer(1))])), .map(MapValue([("a", .map(MapValue([("b", .integer(1)), ("c", .integer(2))])))])), ["a", "a.b"], "{61:{62:i1,63:i2}}"),
        (.map(MapValue([("a", .map(MapValue([("x", .integer(1))])))])), .map(MapValue([("a", .map(MapValue([("b", .integer(1)), ("c", .integer(2))])))])), ["a.b", "a"], "{61:{62:i1,63:i2}}"),
        (.map(MapValue([("a", .map(MapValue([("x", .integer(1))])))])), .map(MapValue([("a", .integer(7))])), ["a.b"], "{61:{78:i1}}"),
        (.map(MapValue([("e\u{301}", .integer(2)), ("\u{E9}", .integer(1))])), .map(MapValue([("e\u{301}", .integer(3))])), ["`e\u{301}`"], "{65cc81:i3,c3a9:i1}"),
        (.map(MapValue([("a", .map(MapValue([("b", .integer(2))]))), ("a.b", .integer(1))])), .map(MapValue([("a.b", .integer(9))])), ["`a.b`"], "{61:{62:i2},612e62:i9}"),
        (.map(MapValue([("a", .map(MapValue([("__type__", .string("__vector__")), ("value", .array([.double(1.0), .double(2.0)]))])))])), .map(MapValue([("a", .map(MapValue([("b", .integer(1))])))])), ["a.b"], "{61:{62:i1}}"),
        (.map(MapValue([("a", .map(MapValue([("__type__", .string("__vector__")), ("value", .array([.double(1.0), .double(2.0)]))])))])), .map(.empty), ["a.b"], "{61:{5f5f747970655f5f:s5f5f766563746f725f5f,76616c7565:[d3ff0000000000000,d4000000000000000]}}"),
        (.map(MapValue([("a", .map(MapValue([("__type__", .string("__vector__")), ("value", .array([.double(1.0), .double(2.0)]))])))])), .map(.empty), ["a.value"], "{61:{5f5f747970655f5f:s5f5f766563746f725f5f,76616c7565:[d3ff0000000000000,d4000000000000000]}}"),
    ]

    /// The fields of the documents `queries/d00`, `queries/d01` ...
    static let documents: [Value] = [
        .map(MapValue([("a", .integer(1)), ("b", .integer(1))])),
        .map(MapValue([("a", .integer(2)), ("b", .integer(1))])),
        .map(MapValue([("a", .integer(2)), ("b", .integer(2))])),
        .map(MapValue([("a", .integer(3))])),
        .map(MapValue([("b", .integer(1))])),
        .map(MapValue([("b", .integer(3))])),
        .map(MapValue([("a", .double(2.0)), ("b", .string("x")), ("c", .integer(1))])),
        .map(MapValue([("a", .null), ("b", .integer(1)), ("c", .integer(2))])),
        .map(MapValue([("a", .string("2")), ("b", .integer(1)), ("c", .integer(3))])),
        .map(MapValue([("a", .array([.integer(1), .integer(2)])), ("b", .integer(2)), ("c", .integer(4))])),
        .map(MapValue([("a", .integer(5)), ("b", .null), ("c", .null)])),
        .map(MapValue([("c", .integer(9))])),
        .map(.empty),
        .map(MapValue([("a", .double(.nan)), ("b", .integer(1)), ("c", .integer(5))])),
        .map(MapValue([("a", .map(MapValue([("x", .integer(1))]))), ("b", .map(MapValue([("x", .integer(2))]))), ("c", .integer(0))])),
        .map(MapValue([("a", .integer(-1)), ("b", .integer(-1)), ("c", .integer(-1))])),
    ]

    /// Queries on those documents, and the numbers of the results in order.
    static let queries: [(query: Query, results: String)] = [
        (query([], [], nil, nil, nil), "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15"),
        (query([], [OrderBy(FieldPath(["a"]), .ascending)], nil, nil, nil), "7 13 15 0 1 2 6 3 10 8 9 14"),
        (query([], [OrderBy(FieldPath(["a"]), .descending)], nil, nil, nil), "14 9 8 10 3 6 2 1 0 15 13 7"),
        (query([], [OrderBy(FieldPath(["b"]), .ascending), OrderBy(FieldPath(["a"]), .descending)], nil, nil, nil), "10 15 8 1 0 13 7 9 2 6 14"),
        (query([], [OrderBy(FieldPath(["a", "x"]), .ascending)], nil, nil, nil), "14"),
        (query([], [OrderBy(.documentID, .ascending)], nil, nil, 3), "0 1 2"),
        (query([], [OrderBy(FieldPath(["b"]), .descending), OrderBy(.documentID, .ascending)], nil, nil, 6), "14 6 5 2 9 0"),
        (query([.field(FieldPath(["a"]), .equal, .integer(2))], [], nil, nil, nil), "1 2 6"),
        (query([.field(FieldPath(["a"]), .equal, .integer(2))], [OrderBy(FieldPath(["b"]), .ascending)], nil, nil, nil), "1 2 6"),
        (query([.field(FieldPath(["a"]), .greaterThan, .integer(1))], [], nil, nil, nil), "1 2 6 3 10"),
        (query([.field(FieldPath(["a"]), .greaterThan, .integer(1))], [OrderBy(FieldPath(["a"]), .descending)], nil, nil, 2), "10 3"),
        (query([.field(FieldPath(["a"]), .notEqual, .integer(2))], [], nil, nil, nil), "13 15 0 3 10 8 9 14"),
        (query([.field(FieldPath(["a"]), .isNotIn, .array([.integer(2), .string("2")]))], [], nil, nil, nil), "13 15 0 3 10 9 14"),
        (query([.field(FieldPath(["a"]), .isIn, .array([.integer(2), .string("2")]))], [], nil, nil, nil), "1 2 6 8"),
        (query([.field(FieldPath(["a"]), .arrayContains, .integer(2))], [OrderBy(FieldPath(["c"]), .ascending)], nil, nil, nil), "9"),
        (query([.or([.field(FieldPath(["a"]), .greaterThan, .integer(1)), .field(FieldPath(["b"]), .equal, .integer(1))])], [], nil, nil, nil), "7 13 0 1 2 6 3 10 8"),
        (query([.or([.field(FieldPath(["a"]), .equal, .integer(1)), .field(FieldPath(["b"]), .equal, .integer(1))])], [], nil, nil, nil), "0 1 4 7 8 13"),
        (query([.or([.field(FieldPath(["a"]), .equal, .integer(1)), .field(FieldPath(["b"]), .greaterThan, .integer(1))])], [], nil, nil, nil), "0 2 9 5"),
        (query([.or([.field(FieldPath(["a"]), .greaterThan, .integer(2)), .field(FieldPath(["b"]), .greaterThan, .integer(2))])], [], nil, nil, nil), "10"),
        (query([.or([.field(FieldPath(["a"]), .greaterThan, .integer(1)), .field(FieldPath(["b"]), .equal, .integer(1))])], [OrderBy(FieldPath(["b"]), .ascending)], nil, nil, nil), "10 7 13 0 1 8 2 6"),
        (query([.and([.field(FieldPath(["a"]), .greaterThanOrEqual, .integer(2)), .field(FieldPath(["b"]), .lessThanOrEqual, .integer(2))])], [], nil, nil, nil), "1 2"),
        (query([.and([.field(FieldPath(["a"]), .greaterThanOrEqual, .integer(2)), .field(FieldPath(["b"]), .lessThanOrEqual, .integer(2))])], [OrderBy(FieldPath(["b"]), .descending)], nil, nil, nil), "2 1"),
        (query([.and([.field(FieldPath(["b"]), .equal, .integer(1)), .or([.field(FieldPath(["a"]), .equal, .integer(1)), .field(FieldPath(["a"]), .equal, .integer(2))])])], [], nil, nil, nil), "0 1"),
        (query([.and([.or([.field(FieldPath(["a"]), .equal, .integer(1)), .field(FieldPath(["c"]), .greaterThan, .integer(1))]), .field(FieldPath(["b"]), .equal, .integer(1))])], [], nil, nil, nil), "7 8 13"),
        (query([.field(FieldPath(["a", "x"]), .equal, .integer(1))], [], nil, nil, nil), "14"),
        (query([], [OrderBy(FieldPath(["a"]), .ascending)], Bound([.integer(2)], isInclusive: true), nil, nil), "1 2 6 3 10 8 9 14"),
        (query([], [OrderBy(FieldPath(["a"]), .ascending)], Bound([.integer(2)], isInclusive: false), nil, nil), "3 10 8 9 14"),
        (query([], [OrderBy(FieldPath(["a"]), .ascending)], nil, Bound([.integer(2)], isInclusive: true), nil), "7 13 15 0 1 2 6"),
        (query([], [OrderBy(FieldPath(["a"]), .ascending)], nil, Bound([.integer(2)], isInclusive: false), nil), "7 13 15 0"),
        (query([], [OrderBy(FieldPath(["a"]), .descending)], Bound([.integer(2)], isInclusive: true), Bound([.integer(-1)], isInclusive: false), nil), "6 2 1 0"),
        (query([], [OrderBy(FieldPath(["a"]), .ascending), OrderBy(FieldPath(["b"]), .ascending)], Bound([.integer(2), .integer(1)], isInclusive: false), nil, nil), "2 6 10 8 9 14"),
        (query([], [OrderBy(FieldPath(["a"]), .ascending), OrderBy(FieldPath(["b"]), .ascending)], Bound([.double(2.0), .integer(2)], isInclusive: true), Bound([.integer(5)], isInclusive: false), nil), "2 6"),
        (query([], [OrderBy(FieldPath(["a"]), .ascending), OrderBy(.documentID, .ascending)], Bound([.integer(2), reference("queries/d01", project: "demo", database: "(default)")], isInclusive: false), nil, nil), "2 6 3 10 8 9 14"),
        (query([], [OrderBy(FieldPath(["a"]), .descending), OrderBy(.documentID, .descending)], nil, Bound([.integer(2), reference("queries/d02", project: "demo", database: "(default)")], isInclusive: true), nil), "14 9 8 10 3 6 2"),
        (query([], [OrderBy(.documentID, .ascending)], Bound([reference("queries/d03", project: "demo", database: "(default)")], isInclusive: true), Bound([reference("queries/d06", project: "demo", database: "(default)")], isInclusive: false), nil), "3 4 5"),
        (query([.field(FieldPath(["a"]), .greaterThan, .integer(1))], [OrderBy(FieldPath(["a"]), .ascending)], Bound([.integer(3)], isInclusive: true), nil, nil), "3 10"),
        (query([.field(.documentID, .greaterThan, reference("queries/d10", project: "demo", database: "(default)"))], [], nil, nil, nil), "11 12 13 14 15"),
        (query([.field(.documentID, .isIn, .array([reference("queries/d01", project: "demo", database: "(default)"), reference("queries/d10", project: "demo", database: "(default)")]))], [], nil, nil, nil), "1 10"),
        (query([.field(.documentID, .isNotIn, .array([reference("queries/d01", project: "demo", database: "(default)"), reference("queries/d10", project: "demo", database: "(default)")]))], [], nil, nil, nil), "0 2 3 4 5 6 7 8 9 11 12 13 14 15"),
        (query([.field(.documentID, .notEqual, reference("queries/d00", project: "demo", database: "(default)"))], [], nil, nil, nil), "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15"),
        (query([.and([.field(FieldPath(["a"]), .greaterThan, .integer(0)), .field(.documentID, .greaterThan, reference("queries/d01", project: "demo", database: "(default)"))])], [], nil, nil, nil), "2 6 3 10"),
        (query([.and([.field(FieldPath(["b"]), .greaterThan, .integer(0)), .field(FieldPath(["a"]), .greaterThan, .integer(0))])], [OrderBy(FieldPath(["b"]), .descending)], nil, nil, nil), "2 1 0"),
    ]
}
