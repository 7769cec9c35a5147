/// The order in which the statements of several transactions are sent as one transaction.
enum MergeLayers {
    /// Groups the statements so that those of a group can be merged: they have the same text and concern different rows. The statements
    /// of each transaction stay in order, and so do those about the same rows.
    static func groups(of transactions: [[Statement]]) -> [[Statement]] {
        var groups: [[Statement]] = []
        var rest = transactions.map { $0[...] }
        while let next = rest.lazy.compactMap(\.first).first {
            var alike: [Statement] = []
            for index in rest.indices {
                guard let first = rest[index].first, first.text == next.text, first.mustChange == next.mustChange
                else { continue }
                alike.append(first)
                rest[index].removeFirst()
            }
            groups += layers(of: alike)
        }
        return groups
    }

    /// Divides statements with the same text into layers without two statements about the same rows. Each layer is sorted, so that two
    /// batches lock the same rows in the same order and don't deadlock.
    private static func layers(of statements: [Statement]) -> [[Statement]] {
        guard statements.count > 1 else { return [statements] }
        var layers: [[Statement]] = []
        var depths: [ArraySlice<SQLValue>: Int] = [:]
        for statement in statements {
            let key = statement.keyValues
            let depth = depths[key, default: 0]
            depths[key] = depth + 1
            if depth == layers.count { layers.append([]) }
            layers[depth].append(statement)
        }
        return layers.map { layer in
            layer.sorted { $0.keyValues.lexicographicallyPrecedes($1.keyValues) }
        }
    }
}

extension Statement {
    fileprivate var keyValues: ArraySlice<SQLValue> { values[key] }
}
