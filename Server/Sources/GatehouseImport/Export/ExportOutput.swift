/// Where the files of an export go, one after the other.
package protocol ExportOutput: AnyObject {
    /// Begins a file. The one before has ended.
    func begin(_ name: String) throws
    func write(_ bytes: [UInt8]) throws
    /// Ends the file that was begun.
    ///
    /// - Parameter records: how many it has.
    func end(records: Int) throws
}

extension ExportOutput {
    /// Writes a whole file.
    package func add(_ name: String, _ bytes: [UInt8], records: Int = 0) throws {
        try begin(name)
        try write(bytes)
        try end(records: records)
    }
}
