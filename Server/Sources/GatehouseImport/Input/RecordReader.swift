/// Reads the records of another system's file, one by one, in bounded memory.
protocol RecordReader {
    /// The next record; nil at the end.
    mutating func next() throws -> FramedRecord?
    /// What the file says about itself, besides its records: a page that follows, or an end without a line break.
    var notes: [ConversionNote] { get }
    /// The pages of a list that comes in pages.
    var pages: PageCount { get }
}

extension RecordReader {
    var pages: PageCount { PageCount() }
}
