// Made by ask-emulator.py from the answers of Google's Firestore emulator.
// swift-format-ignore-file

/// What the rules of Google's Firestore emulator allowed.
enum EmulatorDecisions {
    /// Conditions of a get: + true, - not, ! no condition at all.
    static let conditions = #"""
        + true
        - false
        + resource.data.n == 5
        - resource.data.nope == 5
        - resource.data.nope == null
        + !('nope' in resource.data)
        + 'n' in resource.data
        + 5 in [5]
        + 1 == 1.0
        - 1 == '1'
        + 1 != '1'
        - 1 < '1'
        + 'a' < 'b'
        + null == null
        - null < 1
        - null
        - 5
        - 'x'
        + debug(5) == 5
        + 1 is int
        + 1.0 is float
        + 1 is number
        + resource.data.m is map
        + resource.data.l is list
        + resource.data.t is timestamp
        + resource.data.by is bytes
        + resource.data.g is latlng
        + resource.data.r is path
        - resource.data.r is string
        + duration.value(1,'s') is duration
        ! null is null
        + resource.data.m.diff({'k':2}) is map_diff
        ! resource.data.m is mapdiff
        ! 1 is foo
        + [1,2].hasAll([1])
        + [1,2].hasAny([2,3])
        + [1,2].hasOnly([1,2])
        + [1,2,2].hasOnly([1,2])
        + [1].hasOnly([1,2])
        + [1,2].toSet() == [2,1].toSet()
        + [1,2].concat([3]) == [1,2,3]
        + [1,2].join(',') == '1,2'
        + ['a','b'].join(',') == 'a,b'
        + [1,2].removeAll([1]) == [2]
        + [1,2].size() == 2
        + [1,2][0] == 1
        - [1,2][5] == 1
        + [1,2,3][0:2] == [1,2]
        + 'abc'[0] == 'a'
        + 'abc'[0:2] == 'ab'
        + 'abc'[1:] == 'bc'
        + {'a':1}.keys() == ['a']
        + {'a':1}.values() == [1]
        + {'a':1}.get('a',2) == 1
        + {'a':1}.get('b',2) == 2
        + {'a':{'b':3}}.get(['a','b'],2) == 3
        + {'a':{'b':3}}.get(['a','c'],2) == 2
        + {'a':1}.a == 1
        + {'a':1}['a'] == 1
        + {'a':1}.size() == 1
        - {'a':1} == {'a':1.0}
        + {'a':1}.diff({'a':2}).changedKeys() == ['a'].toSet()
        + {'a':1}.diff({'a':2}).affectedKeys().hasOnly(['a'])
        + {'a':1}.diff({'b':2}).addedKeys() == ['a'].toSet()
        + {'a':1}.diff({'b':2}).removedKeys() == ['b'].toSet()
        + {'a':1}.diff({'a':1}).unchangedKeys() == ['a'].toSet()
        + {'a':1}.diff({'a':1.0}).unchangedKeys() == ['a'].toSet()
        + 'abc'.matches('a.c')
        - 'xabcx'.matches('abc')
        + 'abc'.matches('(?i)ABC')
        ! 'abc'.matches('[')
        + 'a.b'.split('[.]') == ['a','b']
        + 'a,b,,'.split(',') == ['a','b']
        - 'a,b,,'.split(',') == ['a','b','','']
        + 'abab'.replace('a','x') == 'xbxb'
        + 'abab'.replace('a(b)','$1') == 'bb'
        - 'abab'.replace('a(b)','\\1') == 'bb'
        + 'ABC'.lower() == 'abc'
        + 'abc'.upper() == 'ABC'
        + ' abc '.trim() == 'abc'
        + 'abc'.size() == 3
        + 'é'.size() == 1
        - '😀'.size() == 1
        + '😀'.size() == 2
        + 'é'.toUtf8() == b'\303\251'
        + 'é'.toUtf8().size() == 2
        + b'abc'.toBase64() == 'YWJj'
        + b'abc'.toHexString() == '616263'
        + b'abc'.size() == 3
        - hashing.md5('abc').toHexString() == '900150983cd24fb0d6963f7d28e17f72'
        + hashing.md5(b'abc').toHexString() == '900150983CD24FB0D6963F7D28E17F72'
        + hashing.sha256('abc') is bytes
        + hashing.crc32('abc') is bytes
        - hashing.crc32c('abc').toHexString() == '364b3fb7'
        - hashing.crc32('abc').toHexString() == '352441c2'
        + math.abs(-5) == 5
        + math.ceil(1.2) == 2
        - math.ceil(1.2) is int
        + math.floor(1.2) == 1
        - math.floor(-1.2) is int
        + math.pow(2,3) == 8.0
        + math.pow(2,3) is float
        + math.round(1.5) == 2
        - math.round(-1.5) == -2
        + math.round(2.5) == 3
        + math.round(1.5) is int
        + math.sqrt(4) == 2.0
        + timestamp.date(2024,1,2) == timestamp.value(1704153600000)
        + resource.data.t.year() == 2024
        + resource.data.t.month() == 1
        + resource.data.t.day() == 2
        + resource.data.t.hours() == 3
        + resource.data.t.minutes() == 4
        + resource.data.t.seconds() == 5
        + resource.data.t.nanos() == 678901000
        + resource.data.t.dayOfWeek() == 2
        + resource.data.t.dayOfYear() == 2
        + resource.data.t.toMillis() == 1704164645678
        + resource.data.t.date() == timestamp.date(2024,1,2)
        + resource.data.t.time() == duration.time(3,4,5,678901000)
        + resource.data.t + duration.value(1,'d') > resource.data.t
        + resource.data.t - resource.data.t == duration.value(0,'s')
        + request.time > resource.data.t
        + duration.value(90,'m').seconds() == 5400
        + duration.value(5,'ms').nanos() == 5000000
        + duration.value(1,'w') == duration.value(7,'d')
        + duration.value(1,'s') + duration.value(1,'s') == duration.value(2,'s')
        - duration.value(1,'s') * 2 == duration.value(2,'s')
        + duration.abs(duration.value(-1,'s')) == duration.value(1,'s')
        + latlng.value(1.0,2.0) == resource.data.g
        + latlng.value(1,2) == resource.data.g
        + resource.data.g.latitude() == 1.0
        + resource.data.g.distance(latlng.value(1.0,3.0)) > 111000.0
        - resource.data.g.distance(latlng.value(1.0,3.0))
        + resource.id == 'd'
        + resource.__name__ == /databases/(default)/documents/t/d
        + resource['__name__'] == /databases/$(database)/documents/t/d
        + request.path == /databases/(default)/documents/t/d
        + resource.data.r == /databases/(default)/documents/t/d
        + resource.data.r == path('/databases/(default)/documents/t/d')
        + request.path[4] == 'd'
        + request.path[3] == 't'
        + request.path is path
        + path('/a/b') == /a/b
        + string(/a/b) == '/a/b'
        + string(1) == '1'
        + string(1.5) == '1.5'
        - string(1.0) == '1'
        + string(1.0) == '1.0'
        + string(true) == 'true'
        + string(null) == 'null'
        + int('5') == 5
        + int(5.9) == 5
        + int(-5.9) == -5
        + float('1.5') == 1.5
        + float(1) == 1.0
        - bool('true')
        - int('x') == 5
        - bool('x')
        + request.method == 'get'
        + request.auth.uid == 'alice'
        + request.auth.token.sub == 'alice'
        + request.auth.token.user_id == 'alice'
        + request.auth.token.aud == 'demo'
        - request.auth.token.firebase.identities == {}
        - request.query.limit == 5
        - request.query == null
        - request.resource == null
        - request.resource.data.a == 1
        + database == '(default)'
        + id == 'd'
        + exists(/databases/$(database)/documents/t/d)
        - exists(/databases/$(database)/documents/t/none)
        + get(/databases/$(database)/documents/t/d).data.n == 5
        - get(/databases/$(database)/documents/t/none) == null
        - get(/databases/$(database)/documents/t/none).data.n == 5
        + getAfter(/databases/$(database)/documents/t/d).data.n == 5
        + existsAfter(/databases/$(database)/documents/t/d)
        + get(/databases/$(database)/documents/t/$(id)).id == 'd'
        + get(/databases/$(database)/documents/t/d).__name__ == /databases/(default)/documents/t/d
        - exists(/databases/$(database)/documents/t)
        - exists('/databases/(default)/documents/t/d')
        + exists(path('/databases/(default)/documents/t/d'))
        + -5 % 3 == -2
        + 7 / 2 == 3
        + 7.0 / 2 == 3.5
        + 7 % 2.5 == 2.0
        + -7 / 2 == -3
        - 9223372036854775807 + 1 == 0
        ! 9223372036854775808 == 0
        + 'a' + 'b' == 'ab'
        - [1] + [2] == [1,2]
        - 'a' + 1 == 'a1'
        + 1 == 1 ? 2 == 2 : false
        - 1 in {'a':1}
        + 'a' in {'a':1}
        - 'b' in 'abc'
        + 1 in [1].toSet()
        + !true == false
        + 1 < 2 == true
        + 1 + 2 * 3 == 7
        + -1 == 0 - 1
        + - 1 == -1
        ! 0x10 == 16
        ! 1e3 == 1000.0
        + .5 == 0.5
        + "a" == 'a'
        + '\u00e9' == 'é'
        + '\x41' == 'A'
        ! r'\d' == '\\d'
        - undefinedfn(1)
        - resource.data.keys().hasOnly(['n'])
        + resource.data.keys().hasAll(['n','d'])
        + resource.data.size() == 13
        + resource.data.diff(resource.data).affectedKeys().size() == 0
        - resource == null
        + resource != null
        - request.auth == null
        + request.auth != null
        - request.auth.token.email_verified
        - request.auth.token.email.matches('.*')
        - [1,2].hasAll([1].toSet())
        + [1,[2]].size() == 2
        - [1,2] is set
        + {'a': 1, 'b': 2}.values().hasAll([1,2])
        + {}.keys().size() == 0
        - {1: 2}.size() == 1
        + [].size() == 0
        + {'a':1,}.size() == 1
        + [1,].size() == 1
        ! true &&& false
        ! if true
        + [1,2].toSet().hasAll([1])
        + [1,2].toSet().hasAll([1].toSet())
        + [1,2].toSet().hasAny([1])
        + [1,2].toSet().hasOnly([1,2].toSet())
        + [1,2].toSet().hasOnly([1,2])
        + [1].toSet().hasOnly([1,2])
        + [1,2].toSet().difference([1].toSet()) == [2].toSet()
        - [1,2].toSet().difference([1]) == [2].toSet()
        + [1,2].toSet().union([3].toSet()).size() == 3
        + [1,2].toSet().intersection([2].toSet()) == [2].toSet()
        + [1,1.0].toSet().size() == 1
        - [1,2] == [1,2].toSet()
        - ['b','a'].toSet().join(',') == 'a,b'
        - [1,2].toSet()[0] == 1
        + {'b':1,'a':2}.keys() == ['a','b']
        - {'b':1,'a':2}.keys() == ['b','a']
        + {'a':1}.keys().hasOnly(['a'])
        + {'a':1}.keys() is list
        + ['a',1].join('-') == 'a-1'
        + [true,null].join('-') == 'true-null'
        + [1.5].join('-') == '1.5'
        - [[1]].join('-') == '[1]'
        - [1,2].hasAny([])
        + [1,2].hasAll([])
        + [].hasOnly([])
        - [1,2].hasOnly([])
        + [1,2,3][1:] == [2,3]
        + [1,2,3][:1] == [1]
        - [1,2,3][0:9] == [1,2,3]
        - [1,2,3][-1] == 3
        - [1,2,3][2:1] == []
        - 'abc'[-1] == 'c'
        - 'abc'[5] == 'c'
        - 'abc'[0:9] == 'abc'
        - b'abc'[0] == b'a'
        - b'abc'[0:1] == b'a'
        - {'a':1}['b'] == 1
        - {'a':1}.b == 1
        + 'abc' > 'ab'
        + b'a' < b'b'
        + 1 < 1.5
        - [1] < [2]
        - true < false
        + duration.value(1,'s') < duration.value(2,'s')
        - latlng.value(91,0) is latlng
        - latlng.value(0,181) is latlng
        - timestamp.date(2024,13,1) is timestamp
        - timestamp.date(2024,2,30) is timestamp
        - timestamp.value(1.5) is timestamp
        - duration.value(1.5,'s') is duration
        - duration.value(1,'x') is duration
        - duration.value(1,'min') is duration
        + duration.time(25,0,0,0).seconds() == 90000
        + duration.value(1,'h').seconds() == 3600
        + duration.value(-1500,'ms').nanos() == -500000000
        + duration.value(-1500,'ms').seconds() == -1
        + math.abs(-5) is int
        + math.abs(-5.5) == 5.5
        - math.ceil(5) is int
        + math.ceil(5) is float
        + math.floor(-1.5) == -2.0
        + math.round(-1.5) == -1
        + math.round(0.5) == 1
        + math.round(5) == 5
        + math.pow(2.0,0.5) > 1.41
        - math.sqrt(-1) == 1.0
        + math.isNaN(math.sqrt(-1))
        - math.isNaN(1)
        + 1.0 / 0.0 > 5.0
        + math.isNaN(0.0 / 0.0)
        + 1 / 0.0 > 5
        - 1 % 0 == 1
        + 5 % -3 == 2
        + -9223372036854775807 - 1 < 0
        - -9223372036854775807 - 2 < 0
        - 9223372036854775807 * 2 > 0
        + -(5) == -5
        + -(5.5) == -5.5
        - -'a' == 'a'
        + !!true
        + 'a,b'.split(',').size() == 2
        + ''.split(',').size() == 1
        + ',a'.split(',') == ['','a']
        + 'a1b22c'.split('[0-9]+') == ['a','b','c']
        + 'abc'.replace('','-') == '-a-b-c-'
        + 'abc'.replace('b','$0$0') == 'abbc'
        + 'abc'.replace('b','$') == 'a$c'
        + 'abc'.replace('(b)','[$1]') == 'a[b]c'
        + 'abc'.replace('b','\\') == 'a\\c'
        - 'aaa'.replace('a*','x') == 'x'
        + 'aaa'.replace('a*','x') == 'xx'
        - 'ÀÉ'.lower() == 'àé'
        - 'straße'.upper() == 'STRASSE'
        + '\t a\n'.trim() == 'a'
        - 'abc'.matches('ab')
        - 'ab\n'.matches('ab.')
        + 'a\nb'.matches('(?s)a.b')
        - 'a\nb'.matches('^a$\n^b$')
        + 'abc'.matches('^abc$')
        + 'abc'.matches('\\w+')
        - 'é'.matches('\\w')
        + 'é'.matches('\\pL')
        + 'a-b'.matches('[\\w-]+')
        + 'aab'.matches('a{2}b')
        - 'aab'.matches('a{,2}b')
        + 'abc'.matches('[[:alpha:]]+')
        + 'abc'.matches('(?P<n>a)bc')
        ! 'abc'.matches('a(?=b)bc')
        ! 'aa'.matches('(a)\\1')
        + 'x@y.zz'.matches('^[^@]+@[^@]+[.][a-z]{2,}$')
        + 'a'.matches('\\Qa\\E')
        + '😀'.matches('.')
        + 'a.b'.matches('a\\.b')
        + ''.matches('')
        + 'Abc'.matches('(?i:a)bc')
        ! 'ab'.matches('a(?#c)b')
        ! 'abc'.matches('a**')
        + 'a}'.matches('a}')
        + 'a{'.matches('a{')
        + 'a]'.matches('a]')
        + 'a{1'.matches('a{1')
        - string(duration.value(1,'s')) == 'x'
        - string(request.time) == 'x'
        - string([1]) == 'x'
        - string(b'a') == 'a'
        - int(true) == 1
        - int(' 5') == 5
        - int('5.5') == 5
        ! int(9.3e18) == 1
        - float('abc') == 1.0
        + float('1') == 1.0
        - float('NaN') == 1.0
        + string('a') == 'a'
        + string(100000000.0) == '1.0E8'
        ! string(1.5e300) == 'x'
        + string(0.1) == '0.1'
        - string(latlng.value(1,2)) == 'x'
        + debug([1,2]) == [1,2]
        + debug(1,2) == 1
        + path('a/b') == /a/b
        - path('/a//b') == /a/b
        - path('/a/b/') == /a/b
        - path('') == /a
        - path(/a) == /a
        + string(path('a/$(b)')) == '/a/$(b)'
        - /a/$('b/c') == /a/b/c
        + /a/$(/b/c) == /a/b/c
        + /a/$(5) == /a/5
        + /a/b[0] == 'a'
        + (/a/b)[1] == 'b'
        + (/a/b)[0:1] == /a
        - (/a/b)[9] == 'b'
        - /a == '/a'
        - 'a' in /a
        + /a/b.c == path('a/b.c')
        + /a/b-c == path('a/b-c')
        - (/a/b).bind({'x':'y'}) == /a/b
        + path('/a/{x}').bind({'x':'y'}) == /a/y
        + (/a/$(id)) == /a/d
        - /a < /b
        - resource.data.n in {'n':1}
        + request.auth.token.keys().hasAll(['sub'])
        + request.keys().hasAll(['auth','method','path','time'])
        + resource.keys() == ['__name__','data','id']
        + resource.keys().size() == 3
        + 'data' in resource
        + 'auth' in request
        + request is map
        + resource is map
        + request.auth is map
        + request.auth.uid is string
        - request.auth.provider == 'x'
        - request.auth.token.firebase == null
        + request.auth.keys().hasOnly(['uid','token'])
        + request.auth.token.sub == request.auth.uid
        - hashing.crc32('abc').toHexString() == '352441C2'
        + hashing.crc32('abc').toHexString() == 'C2412435'
        - hashing.crc32c('abc').toHexString() == '364B3FB7'
        + hashing.crc32c('abc').toHexString() == 'B73F4B36'
        + hashing.sha256('abc').toHexString() == 'BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD'
        - hashing.sha256('abc').toBase64() == 'ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='
        + b'a\n'.toBase64() == 'YQo='
        + 'a'.toUtf8() == b'a'
        + b'\377'.size() == 1
        + b'é'.size() == 2
        - 'a' == b'a'
        - b'a' + b'b' == b'ab'
        + b'ab' is bytes
        - null + 1 == 1
        + 1 is number && 1.0 is number
        - '1' is number
        + request.time is timestamp
        - request.time + 1 > request.time
        + request.time - duration.value(1,'d') < request.time
        + duration.value(1,'s') + request.time > request.time
        + duration.value(2,'s') - duration.value(1,'s') == duration.value(1,'s')
        + -duration.value(1,'s') == duration.value(-1,'s')
        + request.time - request.time is duration
        + timestamp.value(0).dayOfWeek() == 4
        + timestamp.value(0).dayOfYear() == 1
        + timestamp.date(2024,1,7).dayOfWeek() == 7
        + timestamp.value(-1).nanos() == 999000000
        + timestamp.value(0).time() == duration.value(0,'s')
        + timestamp.value(0).toMillis() == 0
        + timestamp.value(-1500).toMillis() == -1500
        + timestamp.value(-1500).seconds() == 58
        + {'a':1,'a':2}.a == 2
        + {'a':1,'a':2}.size() == 1
        - {'a':{'b':1}}.get('a.b',0) == 1
        + {'a':1}.get(['a','b'],7) == 7
        - {'a':1}.get([],7) == 7
        - {'a':1}.get('a') == 1
        + {'x':null}.get('x',1) == null
        + id == 'd' ? true : false
        - true ? 1 : 'a'
        - 1 in [1.0]
        + 'a' in ['a']
        + [1] in [[1]]
        + null in [null]
        + !('a' in {})
        - 1 == null
        - 'a' == null
        - [] == null
        - true == 1
        + 1 != null
        - 'a'['b'] == 1
        - (1)[0] == 1
        - null.a == 1
        - 'a'.b == 1
        - [1].b == 1
        - [1,2].concat(3) == [1,2,3]
        - [1,2].concat([3].toSet()) == [1,2,3]
        + [1,2,1].removeAll([1]) == [2]
        - [1].toSet().toSet() == [1].toSet()
        + [3,1,2].toSet().size() == 3
        + 'a'.size() is int
        + true is bool
        - get(/databases/(default)/documents/t/d).id == 'a'
        + get(/databases/(default)/documents/t/d)['data']['n'] > 0
        + get(/databases/(default)/documents/t/d).keys().size() == 3
        - get(/w/a).data.n > 0
        - exists(/databases/other/documents/t/d)
        - firestore.get(/databases/(default)/documents/t/d).data.n > 0
        - f(1,2,3,4,5,6,7,8)
        + ','.split(',').size() == 1
        + ','.split(',') == ['']
        - 'abc'.split('') == ['a','b','c']
        + 'abc'.split('') == ['','a','b','c']
        + b'\377\377\377'.toBase64() == '____'
        + b'\373\377'.toBase64() == '-_8='
        + (1 / 0 == 1) || true
        + true || (1 / 0 == 1)
        - 1 / 0 == 1 && false
        + !(1 / 0 == 1 && false)
        + !(false && 1 / 0 == 1)
        - 1 / 0 == 1 && true
        - !(1 / 0 == 1)
        + true ? true : 1 / 0 == 1
        + false ? 1 / 0 == 1 : true
        - (1 / 0 == 1) in [true]
        - [1 / 0].size() == 1
        - [1,2].hasAll([1.0])
        - [1.0].hasAny([1])
        + {'a':[1]} == {'a':[1]}
        + {'a':1}.diff({'a':1,'b':2}).removedKeys().hasAll(['b'])
        + 'a.b.c'.split('\\.') == ['a','b','c']
        + 'A-1'.matches('[A-Z]-[0-9]')
        + 'x'.matches('x?') && ''.matches('x?')
        + 'aaa'.matches('a{2,3}') && !'aaaa'.matches('a{2,3}')
        + 'foobar'.matches('foo|foobar')
        + 'ab12'.replace('[0-9]','') == 'ab'
        + '2024-01-02'.replace('(\\d+)-(\\d+)-(\\d+)','$3.$2.$1') == '02.01.2024'
        + 'aXbXc'.split('X') == ['a','b','c']
        + [1,2,3][1:1] == []
        - [1,2,3][0:0] == []
        - [1,2,3][3:] == []
        + [][:] == []
        - [1][:0] == []
        + 'abc'[2:2] == ''
        - 'abc'[3:] == ''
        - (/a/b)[2:] == path('/')
        + 1 in [1.0].toSet()
        - 1 in [1.0]
        + [1,2].toSet().hasAll([1.0])
        + [1].toSet().hasOnly([1.0])
        - [1.0].hasAny([1])
        + [1].toSet().union([1.0].toSet()).size() == 1
        + [1].toSet().difference([1.0].toSet()).size() == 0
        + [1].toSet().intersection([1.0].toSet()).size() == 1
        + ['a',1].toSet() == [1.0,'a'].toSet()
        + 9007199254740993 == 9007199254740992.0
        - 9007199254740993 > 9007199254740992.0
        + 9007199254740993 > 9007199254740992
        + 9223372036854775807 == 9223372036854775807.0
        - 'a' in ['a'] == true
        + ('a' in ['a']) == true
        - 1 in [1] is bool
        + 1 == 1 in [true]
        + 1 in [1] in [true]
        + 1 + 1 in [2]
        + resource.data.v is vector
        - resource.data.v is map
        + resource.data.v == resource.data.v
        + [resource.data.v] == [resource.data.v]
        - resource.data.v == resource.data.w
        - resource.data.v == {'__type__':'__vector__','value':[1.0,2.0]}
        - resource.data.v.size() == 2
        - 'value' in resource.data.v
        - resource.data.v.value == [1.0,2.0]
        - resource.data.v['value'] == [1.0,2.0]
        - resource.data.v[0] == 1.0
        - string(resource.data.v) == 'x'
        + 'a_b'.matches('^a\\_b$')
        + 'a_b-c'.matches('^[a-zA-Z0-9_\\-\\_]+$')
        + 'é'.matches('\\é')
        ! 'a'.matches('\\q')
        + 'A'.matches('\\101')
        + 'A'.matches('[\\101]')
        - 'a'.matches('\\0141')
        ! 'a'.matches('\\8')
        + '-'.matches('\\p{Pd}')
        + ' '.matches('[\\p{Zs}]')
        + '$'.matches('\\p{Sc}') && 'ᴬ'.matches('\\p{Lm}')
        + '1'.matches('\\P{Lo}') && !'漢'.matches('\\P{Lo}')
        ! 'a'.matches('\\p{Foo}')
        + 'abc'.replace('b','\\$') == 'a$c'
        + 'abc'.replace('b','\\\\') == 'a\\c'
        + 'abc'.replace('(b)','$12') == 'ab2c'
        + 'abcdefghijkl'.replace('(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)(k)','$11') == 'kl'
        + duration.value(1,'d') > duration.value(23,'h')
        + timestamp.date(2024,2,29).dayOfYear() == 60
        + timestamp.date(1969,12,31).dayOfWeek() == 3
        + timestamp.date(2000,1,1).toMillis() == 946684800000
        + resource.data.m.k == 1 && resource.data.m['j'] == 'x'
        + resource.data.l[1] == 'x'
        + resource.data['n'] == 5 && resource.data.d == 1.5
        + resource.data.get('zz', 3) == 3
        + resource.data.get(['m','k'], 3) == 1
        + resource.data.z == null
        + resource.data.diff({'n':5}).affectedKeys().hasAll(['s'])
        - request.auth.token.role == 'editor'
        - 'role' in request.auth.token
        + request.auth.token.get('role','x') == 'x'
        + math.pow(2, 10) == 1024.0
        + math.pow(2.0, -1) == 0.5
        + math.pow(9, 0.5) == 3.0
        + latlng.value(0,0).distance(latlng.value(0,1)) > 111194.0
        + latlng.value(0,0).distance(latlng.value(0,1)) < 111196.0
        + string(1234567.0) == '1234567.0'
        + string(0.001) == '0.001'
        + string(0.0001) == '1.0E-4'
        + string(-1.5) == '-1.5'
        + '\n'.size() == 1
        + 'a\'b' == "a'b"
        + /databases/(default)/documents/t/d == resource.__name__
        + exists(/databases/$(database)/documents/t/$(resource.id))
        + exists(resource.__name__)
        + get(resource.__name__).data == resource.data
        + id in ['d','e'] && id.size() == 1
        + [id, 'x'].toSet().hasOnly(['x','d'])
        """#

    /// Version, what becomes of a get of `t/d` and of `t/d/u/e`, and the rules.
    static let bodies = #"""
        1+- match /t/{x} { allow read }
        1+- match /t/{x} { allow read; }
        1+- match /t/{x} { allow read: if true }
        1+- match /t/{x} { allow read: if true allow write: if false }
        1!! match /t/{x} { allow read: true; }
        1+- match /t/{x} { allow read, write; }
        1!! match /t/{x} { allow read write; }
        1+- match /t/{x} { allow read: if f(); } function f() { return true }
        1+- match /t/{x} { allow read: if f(); } function f() { return true; }
        1+- match /t/{x} { allow read: if f(); function f() { return x == 'd'; } }
        1-- match /t/{x} { allow read: if f(); } function f() { return x == 'd'; }
        1-- match /t/{x} { allow read: if f(1); } function f() { return true; }
        1-- match /t/{x} { allow read: if f(); } function f(a) { return true; }
        1!! match /t/{x} { allow read: if f(true); } function f(a) { let b = a; let c = b && a; return c; }
        1!! match /t/{x} { allow read: if f(true); } function f(a) { let b = a let c = b return c; }
        1!! match /t/{x} { allow read: if f(true); } function f(a) { let a = true; return a; }
        1!! match /t/{x} { allow read: if f(true); } function f(a) { return g(a); } function g(a) { return f(a); }
        1!! match /t/{x} { allow read: if f(true) || true; } function f(a) { return f(a); }
        1++ match /t/{x} { allow read: if x == 'd'; match /u/{y} { allow read: if y == 'e' && x == 'd'; } }
        1+- match /t/{x=**} { allow read: if x == /d; }
        1++ match /t/{x=**} { allow read: if x[0] == 'd'; }
        1++ match /t/{x=**} { allow read: if x is path; }
        1!! match /{x=**}/d { allow read; }
        1+- match /{x=**} { allow read: if x == /t/d; }
        1-- match /t/{x}/{y=**} { allow read: if y == path('/'); }
        1-+ match /t/{x}/{y=**} { allow read; }
        1!! match /{a=**}/u/{b} { allow read; }
        1!! match /{a=**}/{b=**} { allow read; }
        1!! match t/{x} { allow read; }
        1!! match /t/{x}/ { allow read; }
        1+- match /t/d { allow read; }
        1+- match /t/{x=*} { allow read; }
        1-- match /t/{x} { allow read: if undefinedvar; }
        1-- match /t/{x} { allow read: if undefinedfn(); }
        1+- match /t/{x} { allow read: if true; } match /t/d { allow read: if false; }
        1!! match /t/{x} { allow read: if true; function g() { return true; } function g() { return false; } }
        1!! match /t/{x} { allow read: if let; }
        1-- match /t/{x} { allow read: if request.foo == 1; }
        1-- match /t/{x} { allow read: if "a".foo(); }
        1-- match /t/{x} { allow read: if 'a'.size(1) == 1; }
        1-- match /t/{x} { allow read: if get() == 1; }
        1+- match /t/{request} { allow read: if request == 'd'; }
        1-- match /t/{x} { match /{x} { allow read; } }
        1!! match /t/{x} { }
        1-- match /t/{x} { allow read: if 1 + true; }
        1-- match /t/{x} { allow read: if !5; }
        1-- match /t/{x} { allow read: if 5 && true; }
        1-- match /t/{x} { allow read: if true && 5; }
        1+- match /t/{x} { allow read: if null || true; }
        1+- match /t/{x} { allow read: if 5 || true; }
        1-- match /t/{x} { allow read: if 5 ? true : true; }
        1!! match /t/{x} { allow get: if f(x); function f(a) { let b = 1 / 0; return a == 'd'; } }
        1+- match /t/{x} { allow get: if f(1 / 0); function f(a) { return true; } }
        1+- match /t/{x} { allow get: if f(x) && g(); function f(a) { return a == x; } function g() { return f('d'); } }
        1-+ match /t/{x} { match /u/{y} { allow get: if f(); } function f() { return x == 'd'; } }
        1-- match /t/{x} { match /u/{y} { allow get: if f(); } function f() { return y == 'e'; } }
        1-+ match /t/{x}/u/{y} { allow read: if x == 'd' && y == 'e'; }
        1-+ match /{a}/{b}/{c}/{d} { allow read: if a + b + c + d == 'tdue'; }
        1++ match /{a=**} { allow get: if a[0] == 't'; match /u/{b} { allow get: if b == 'e'; } }
        1!! match /{p=**}/d { allow get: if p[0] == 't'; }
        1!! match /{p=**}/d { allow get; }
        1!! match /{p=**}/t/d { allow get; }
        1!! match /{p=**}/u/e { allow get: if p == /t/d; }
        1-- match /t/{x} { allow list, create; }
        1+- match /t/{x} { allow get: if false; allow get: if true; }
        1+- match /t/{x} { allow get: if request.auth.uid == 'alice' && x != 'e'; }
        1-- match /t/{x} { allow get: if request.auth.uid == 'bob'; }
        2+- match /t/{x} { allow read }
        2+- match /t/{x} { allow read; }
        2+- match /t/{x} { allow read: if true }
        2+- match /t/{x} { allow read: if true allow write: if false }
        2!! match /t/{x} { allow read: true; }
        2+- match /t/{x} { allow read, write; }
        2!! match /t/{x} { allow read write; }
        2+- match /t/{x} { allow read: if f(); } function f() { return true }
        2+- match /t/{x} { allow read: if f(); } function f() { return true; }
        2+- match /t/{x} { allow read: if f(); function f() { return x == 'd'; } }
        2-- match /t/{x} { allow read: if f(); } function f() { return x == 'd'; }
        2-- match /t/{x} { allow read: if f(1); } function f() { return true; }
        2-- match /t/{x} { allow read: if f(); } function f(a) { return true; }
        2+- match /t/{x} { allow read: if f(true); } function f(a) { let b = a; let c = b && a; return c; }
        2!! match /t/{x} { allow read: if f(true); } function f(a) { let b = a let c = b return c; }
        2!! match /t/{x} { allow read: if f(true); } function f(a) { let a = true; return a; }
        2!! match /t/{x} { allow read: if f(true); } function f(a) { return g(a); } function g(a) { return f(a); }
        2!! match /t/{x} { allow read: if f(true) || true; } function f(a) { return f(a); }
        2++ match /t/{x} { allow read: if x == 'd'; match /u/{y} { allow read: if y == 'e' && x == 'd'; } }
        2+- match /t/{x=**} { allow read: if x == /d; }
        2++ match /t/{x=**} { allow read: if x[0] == 'd'; }
        2++ match /t/{x=**} { allow read: if x is path; }
        2+- match /{x=**}/d { allow read; }
        2+- match /{x=**} { allow read: if x == /t/d; }
        2-- match /t/{x}/{y=**} { allow read: if y == path('/'); }
        2++ match /t/{x}/{y=**} { allow read; }
        2-+ match /{a=**}/u/{b} { allow read; }
        2!! match /{a=**}/{b=**} { allow read; }
        2!! match t/{x} { allow read; }
        2!! match /t/{x}/ { allow read; }
        2+- match /t/d { allow read; }
        2+- match /t/{x=*} { allow read; }
        2-- match /t/{x} { allow read: if undefinedvar; }
        2-- match /t/{x} { allow read: if undefinedfn(); }
        2+- match /t/{x} { allow read: if true; } match /t/d { allow read: if false; }
        2!! match /t/{x} { allow read: if true; function g() { return true; } function g() { return false; } }
        2!! match /t/{x} { allow read: if let; }
        2-- match /t/{x} { allow read: if request.foo == 1; }
        2-- match /t/{x} { allow read: if "a".foo(); }
        2-- match /t/{x} { allow read: if 'a'.size(1) == 1; }
        2-- match /t/{x} { allow read: if get() == 1; }
        2+- match /t/{request} { allow read: if request == 'd'; }
        2-- match /t/{x} { match /{x} { allow read; } }
        2!! match /t/{x} { }
        2-- match /t/{x} { allow read: if 1 + true; }
        2-- match /t/{x} { allow read: if !5; }
        2-- match /t/{x} { allow read: if 5 && true; }
        2-- match /t/{x} { allow read: if true && 5; }
        2+- match /t/{x} { allow read: if null || true; }
        2+- match /t/{x} { allow read: if 5 || true; }
        2-- match /t/{x} { allow read: if 5 ? true : true; }
        2+- match /t/{x} { allow get: if f(x); function f(a) { let b = 1 / 0; return a == 'd'; } }
        2+- match /t/{x} { allow get: if f(1 / 0); function f(a) { return true; } }
        2+- match /t/{x} { allow get: if f(x) && g(); function f(a) { return a == x; } function g() { return f('d'); } }
        2-+ match /t/{x} { match /u/{y} { allow get: if f(); } function f() { return x == 'd'; } }
        2-- match /t/{x} { match /u/{y} { allow get: if f(); } function f() { return y == 'e'; } }
        2-+ match /t/{x}/u/{y} { allow read: if x == 'd' && y == 'e'; }
        2-+ match /{a}/{b}/{c}/{d} { allow read: if a + b + c + d == 'tdue'; }
        2++ match /{a=**} { allow get: if a[0] == 't'; match /u/{b} { allow get: if b == 'e'; } }
        2+- match /{p=**}/d { allow get: if p[0] == 't'; }
        2+- match /{p=**}/d { allow get; }
        2+- match /{p=**}/t/d { allow get; }
        2-+ match /{p=**}/u/e { allow get: if p == /t/d; }
        2-- match /t/{x} { allow list, create; }
        2+- match /t/{x} { allow get: if false; allow get: if true; }
        2+- match /t/{x} { allow get: if request.auth.uid == 'alice' && x != 'e'; }
        2-- match /t/{x} { allow get: if request.auth.uid == 'bob'; }
        """#

    /// Whether a query is allowed; condition, collection, filters and options.
    static let queries = #"""
        - resource.data.pub == true|c
        + resource.data.pub == true|c|pub EQUAL true
        - resource.data.pub == true|c|pub EQUAL false
        - resource.data.pub == true|c|n EQUAL 99
        + resource.data.pub == true|c|n EQUAL 99;pub EQUAL true
        - resource.data.pub == true|c||limit=1
        - resource.data.own == request.auth.uid|c
        + resource.data.own == request.auth.uid|c|own EQUAL "alice"
        - resource.data.own == request.auth.uid|c|own EQUAL "bob"
        + resource.data.own == request.auth.uid|c|own IN ["alice"]
        - resource.data.own == request.auth.uid|c|own IN ["alice","bob"]
        + resource.data.own in ['alice','bob']|c|own IN ["alice","bob"]
        - resource.data.own in ['alice']|c|own IN ["alice","bob"]
        - resource.data.n > 5|c
        + resource.data.n > 5|c|n GREATER_THAN 7
        + resource.data.n > 5|c|n GREATER_THAN 5
        - resource.data.n > 5|c|n GREATER_THAN_OR_EQUAL 5
        + resource.data.n >= 5|c|n GREATER_THAN_OR_EQUAL 5
        + resource.data.n >= 5|c|n GREATER_THAN 5
        - resource.data.n > 5|c|n GREATER_THAN 3
        + resource.data.n > 5|c|n EQUAL 7
        - resource.data.n > 5|c|n EQUAL 3
        + resource.data.n > 5|c|n GREATER_THAN 100
        - resource.data.n > 5|c|n LESS_THAN 100
        + resource.data.n > 5 && resource.data.n < 9|c|n GREATER_THAN 5;n LESS_THAN 9
        + resource.data.n < 9|c|n GREATER_THAN 5;n LESS_THAN 9
        - resource.data.n < 9|c|n GREATER_THAN 5
        - resource.data.n == 7|c|n GREATER_THAN 5
        + resource.data.n != 3|c|n GREATER_THAN 5
        + resource.data.n != null|c|n GREATER_THAN 5
        + resource.data.n is constraint|c|n GREATER_THAN 5
        - !(resource.data.n > 3)|c|n GREATER_THAN 5
        - !(resource.data.n > 7)|c|n GREATER_THAN 5
        + 5 < resource.data.n|c|n GREATER_THAN 5
        - resource.data.n + 1 > 6|c|n GREATER_THAN 5
        + 'n' in resource.data|c|n GREATER_THAN 5
        + 'n' in resource.data|c|n EQUAL 5
        - 'n' in resource.data|c
        - resource.data.n < 3|c|n GREATER_THAN 5
        - resource.data.n > 'a'|c|n GREATER_THAN 5
        + resource.data.n != 5|c|n NOT_EQUAL 5
        - resource.data.n != 6|c|n NOT_EQUAL 5
        + !(resource.data.n in [5])|c|n NOT_IN [5]
        + resource.data.s > 'b'|c|s GREATER_THAN "c"
        - resource.data.s > 'b'|c|s GREATER_THAN "a"
        + resource.data.m.k == 1|c|m.k EQUAL 1
        - resource.data.m.k == 1|c|m.k EQUAL 2
        + resource.data.m.k > 1|c|m.k GREATER_THAN 1
        + 'x' in resource.data.tags|c|tags ARRAY_CONTAINS "x"
        - 'y' in resource.data.tags|c|tags ARRAY_CONTAINS "x"
        + resource.data.tags.hasAny(['x'])|c|tags ARRAY_CONTAINS "x"
        + 'x' in resource.data.tags|c|tags ARRAY_CONTAINS_ANY ["x"]
        - 'x' in resource.data.tags|c|tags ARRAY_CONTAINS_ANY ["x","y"]
        + resource.data.tags.hasAny(['x','y'])|c|tags ARRAY_CONTAINS_ANY ["x","y"]
        - resource.data.tags.size() > 0|c|tags ARRAY_CONTAINS "x"
        - request.query.limit <= 2|c
        + request.query.limit <= 2|c||limit=1
        + request.query.limit <= 2|c||limit=2
        - request.query.limit <= 2|c||limit=3
        + request.query.limit == null|c
        + request.query.offset == 0|c
        + request.query.offset == 1|c||offset=1
        + request.query.orderBy == {}|c
        + request.query.orderBy.n == 'ASC'|c||order=n
        - request.query.orderBy['n'] == 'DESC'|c||order=n
        + request.path == /databases/(default)/documents/c|c
        - request.path == /databases/(default)/documents/c/a|c
        + request.method == 'list'|c
        + request.auth != null|c
        - resource == null|c
        + resource != null|c
        - resource.data.nope == 1|c
        - resource.id == 'a'|c
        - resource.__name__ != null|c
        - x == 'a'|c
        - x == null|c
        - x is string|c
        - exists(/databases/$(database)/documents/c/$(x))|c
        + exists(/databases/$(database)/documents/c/a)|c
        - exists(/databases/$(database)/documents/c/none)|c
        + get(/databases/$(database)/documents/c/a).data.own == 'alice'|c
        + resource.data.n > 5 || request.auth.uid == 'alice'|c
        + 1 / 0 == 1 || true|c
        + !(1 / 0 == 1 && false)|c
        + resource.data.own == 'alice'|c|__name__ EQUAL "ref:c/a"
        - resource.data.own == 'bob'|c|__name__ EQUAL "ref:c/a"
        + resource.data.own == 'alice'|c|__name__ EQUAL "ref:c/a";own EQUAL "bob"
        - resource.data.own == 'bob'|c|__name__ EQUAL "ref:c/a";own EQUAL "bob"
        + resource.data.own == 'alice'|c|__name__ IN ["ref:c/a"]
        - resource.data.own == 'alice'|c|__name__ IN ["ref:c/a","ref:c/none"]
        - resource.data.own == 'alice'|c|__name__ GREATER_THAN_OR_EQUAL "ref:c/a"
        + resource.data.keys() == ['own']|c|__name__ EQUAL "ref:c/a"
        - resource == null|c|__name__ EQUAL "ref:c/none"
        - resource != null|c|__name__ EQUAL "ref:c/none"
        + resource.id == 'a' && x == 'a'|c|__name__ EQUAL "ref:c/a"
        + request.path == resource.__name__|c|__name__ EQUAL "ref:c/a"
        + request.method == 'list'|c|__name__ EQUAL "ref:c/a"
        - resource.data.n is number|c|n GREATER_THAN 5
        + resource.data.n is int|c|n EQUAL 5
        - resource.data.tags is list|c|tags ARRAY_CONTAINS "x"
        - resource.data.tags.hasAll(['x'])|c|tags ARRAY_CONTAINS "x"
        + resource.data.n != 4|c|n GREATER_THAN 5
        - !(resource.data.n == 4)|c|n GREATER_THAN 5
        + !(resource.data.n == 4)|c|n EQUAL 5
        - !(resource.data.n < 5)|c|n GREATER_THAN 5
        + !(resource.data.n < 5)|c|n EQUAL 5
        + resource.data.n == 5|c|n EQUAL 5;n GREATER_THAN 3
        - resource.data.n == 6|c|n EQUAL 5;n GREATER_THAN 3
        - resource.data.n in [5]|c|n EQUAL 5;n GREATER_THAN 3
        - resource.data.n in [5,6]|c|n EQUAL 5;n GREATER_THAN 3
        + resource.data.n > 4|c|n EQUAL 5;n GREATER_THAN 3
        - resource.data.n > 5|c|n EQUAL 5;n GREATER_THAN 3
        + resource.data.n >= 5|c|n EQUAL 5;n GREATER_THAN 3
        + resource.data.n < 6|c|n EQUAL 5;n GREATER_THAN 3
        - resource.data.n < 5|c|n EQUAL 5;n GREATER_THAN 3
        + resource.data.n <= 5|c|n EQUAL 5;n GREATER_THAN 3
        - resource.data.n is int|c|n EQUAL 5;n GREATER_THAN 3
        + resource.data.n is constraint|c|n EQUAL 5;n GREATER_THAN 3
        + resource.data.n != 6|c|n EQUAL 5;n GREATER_THAN 3
        - resource.data.n != 5|c|n EQUAL 5;n GREATER_THAN 3
        - resource.data.n != 'x'|c|n EQUAL 5;n GREATER_THAN 3
        + resource.data.n != null|c|n EQUAL 5;n GREATER_THAN 3
        + resource.data.n == 5|c|n GREATER_THAN 3;n EQUAL 5
        - resource.data.n in [5]|c|n GREATER_THAN 3;n EQUAL 5
        - resource.data.n is int|c|n GREATER_THAN 3;n EQUAL 5
        + resource.data.n == 5|c|n EQUAL 6;n EQUAL 5
        + resource.data.n == 6|c|n EQUAL 6;n EQUAL 5
        - resource.data.n in [5,6]|c|n EQUAL 6;n EQUAL 5
        - resource.data.n is int|c|n EQUAL 6;n EQUAL 5
        - resource.data.n == resource.data.n|c|n EQUAL 6;n EQUAL 5
        + resource.data.n == 5|c|n EQUAL 5;n EQUAL 5
        + resource.data.n in [5]|c|n EQUAL 5;n EQUAL 5
        + resource.data.n is int|c|n EQUAL 5;n EQUAL 5
        + resource.data.n == 5|c|n IN [5,6];n EQUAL 5
        - resource.data.n in [5]|c|n IN [5,6];n EQUAL 5
        - resource.data.n in [5,6]|c|n IN [5,6];n EQUAL 5
        + resource.data.n > 4|c|n IN [5,6];n EQUAL 5
        + resource.data.n != 7|c|n IN [5,6];n EQUAL 5
        - resource.data.n is int|c|n IN [5,6];n EQUAL 5
        + resource.data.n in [5]|c|n EQUAL 5;n IN [5]
        + resource.data.n is int|c|n EQUAL 5;n IN [5]
        - resource.data.n == 5|c|n IN [5,6];n IN [6,7]
        - resource.data.n in [5,6,7]|c|n IN [5,6];n IN [6,7]
        + resource.data.n >= 5|c|n IN [5,6];n IN [6,7]
        + resource.data.n != 7|c|n IN [5,6];n IN [6,7]
        + resource.data.n in [5,6]|c|n EQUAL 5
        - resource.data.n in [6]|c|n EQUAL 5
        - resource.data.n in ['5']|c|n EQUAL 5
        - resource.data.n in []|c|n EQUAL 5
        + resource.data.n == 5.0|c|n EQUAL 5
        - resource.data.n in [5.0]|c|n EQUAL 5
        + resource.data.n in [5].toSet()|c|n EQUAL 5
        + [5,6].hasAny([resource.data.n])|c|n EQUAL 5
        + !(resource.data.n in [6])|c|n EQUAL 5
        + resource.data.n in [5,6]|c|n IN [5,6]
        - resource.data.n in [5]|c|n IN [5,6]
        + resource.data.n in [7,6,5]|c|n IN [5,6]
        + resource.data.n == 5 || resource.data.n == 6|c|n IN [5,6]
        - resource.data.n == 5|c|n IN [5,6]
        + resource.data.n > 4|c|n IN [5,6]
        + !(resource.data.n in [7])|c|n IN [5,6]
        - resource.data.n <= true|c|n EQUAL true;n NOT_EQUAL false
        + resource.data.n == true|c|n EQUAL true;n NOT_EQUAL false
        - resource.data.n < true|c|n LESS_THAN true
        - resource.data.n <= true|c|n LESS_THAN true
        - resource.data.n != true|c|n LESS_THAN true
        - resource.data.n != 5|c|n ARRAY_CONTAINS 5
        + resource.data.n != null|c|n ARRAY_CONTAINS 5
        + 5 in resource.data.n|c|n ARRAY_CONTAINS 5
        + resource.data.n == 5|c|n EQUAL 5;n ARRAY_CONTAINS 5
        + 5 in resource.data.n|c|n EQUAL 5;n ARRAY_CONTAINS 5
        + resource.data.n != 5|c|n LESS_THAN 5
        - resource.data.n != 'x'|c|n LESS_THAN 5
        + resource.data.n != null|c|n LESS_THAN 5
        + resource.data.n != 5|c|n NOT_IN [5,7]
        - resource.data.n != 6|c|n NOT_IN [5,7]
        + resource.data.n != 7|c|n NOT_IN [5,7]
        + resource.data.n != null|c|n NOT_IN [5,7]
        + resource.data.n.k == 1|c|n.k EQUAL 1;n NOT_EQUAL 7
        + resource.data.n.k in [1,2]|c|n.k EQUAL 1;n NOT_EQUAL 7
        - resource.data.n.k == 2|c|n.k EQUAL 1;n NOT_EQUAL 7
        + resource.data.n != null|c|n.k EQUAL 1;n NOT_EQUAL 7
        + resource.data.n.k == 1|c|n NOT_EQUAL 7;n.k EQUAL 1
        + resource.data.n.k > 1|c|n.k GREATER_THAN 1;n GREATER_THAN 0
        - resource.data.n.k > 2|c|n.k GREATER_THAN 1;n GREATER_THAN 0
        - resource.data.n > 3|c|n GREATER_THAN 4.5
        + resource.data.n > 3.5|c|n GREATER_THAN 4
        + resource.data.n > 3.5|c|n GREATER_THAN 4.5
        - resource.data.n != 5|c|n LESS_THAN 2.5
        + resource.data.n != 5.0|c|n LESS_THAN 2
        - resource.data.n != 5|c|n NOT_EQUAL 5.0
        + resource.data.n != 5.0|c|n NOT_EQUAL 5
        - resource.data.n != 5|c|n NOT_IN [5.0]
        + resource.data.n != 5.0|c|n NOT_IN [5]
        - resource.data.n == 5|c|n EQUAL 5.0;n GREATER_THAN 3
        + resource.data.n == 5.0|c|n EQUAL 5;n GREATER_THAN 3
        - resource.data.n > 4|c|n EQUAL 5.0;n NOT_EQUAL 3
        + resource.data.n > 4.0|c|n EQUAL 5;n NOT_EQUAL 3
        + resource.data.n > 4|c|n EQUAL 5.0
        + resource.data.n != 6|c|n EQUAL 5.0;n NOT_EQUAL 3
        - 5 in resource.data.n|c|n ARRAY_CONTAINS 5.0
        """#

    /// Whether a query is allowed; path of the match, collection or group.
    static let scopes = #"""
        + /c/{x}|c
        - /c/{x}|**c
        - /c/{x}|k/l/c
        + /{p=**}/c/{x}|c
        + /{p=**}/c/{x}|**c
        + /{p=**}/c/{x}|k/l/c
        + /{p=**}/c/{x}|k/l/**c
        - /{p=**}/c/{x}|e
        - /{p=**}/c/{x}|**e
        + /{p=**}|c
        + /{p=**}|**c
        + /{p=**}/{x}|**c
        + /c/{p=**}|c
        + /c/{p=**}|c/a/c
        + /c/{p=**}|c/a/**c
        - /c/{p=**}|**c
        - /c/{a}/c/{p=**}|c
        + /c/{a}/c/{p=**}|c/a/c
        - /c/{a}/c/{p=**}|c/a/**c
        + /k/{l}/c/{x}|k/l/c
        - /k/{l}/c/{x}|k/l/**c
        - /c/a|c
        """#

}
