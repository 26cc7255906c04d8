# Joins the lines of several turns: of lines with the same name, one that has the median of each figure.
#
# A line is a flat object of JSON with a "name" and numbers. The lines keep the order of the first turn.
function field(at,   rest) {
    rest = substr($0, at)
    sub(/^[^:]*: */, "", rest)
    sub(/[,}].*/, "", rest)
    return rest
}
function median(name, key,   count, i, j, values, value) {
    count = seen[name, key]
    for (i = 1; i <= count; i++) {
        value = figure[name, key, i]
        for (j = i; j > 1 && values[j - 1] > value; j--) values[j] = values[j - 1]
        values[j] = value
    }
    if (count % 2) return values[(count + 1) / 2]
    return (values[count / 2] + values[count / 2 + 1]) / 2
}
{
    split($0, quoted, "\"")
    name = ""
    for (i = 2; i in quoted; i += 2) if (quoted[i] == "name") { name = quoted[i + 2]; break }
    if (name == "") next
    if (!(name in keys)) { names[++count] = name; keys[name] = "" }
    for (i = 2; i in quoted; i += 2) {
        key = quoted[i]
        if (key == "name") { i += 2; continue }
        if (!((name, key) in seen)) keys[name] = keys[name] (keys[name] == "" ? "" : ",") key
        figure[name, key, ++seen[name, key]] = field(index($0, "\"" key "\":")) + 0
    }
}
END {
    for (i = 1; i <= count; i++) {
        printf "{\"name\": \"%s\"", names[i]
        split(keys[names[i]], list, ",")
        for (k = 1; k in list; k++) printf ", \"%s\": %.10g", list[k], median(names[i], list[k])
        print "}"
    }
}
