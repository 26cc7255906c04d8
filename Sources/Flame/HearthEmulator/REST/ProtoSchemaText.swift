/// The messages of REST, one a line, with `name number kind` for each field.
///
/// `[]` follows the kind of a repeated field, `=` stands before a choice, and the fields of a oneof
/// end in the same word.
enum ProtoSchemaText {
    static let messages = """
        Document:name 1 string,fields 2 values,createTime 3 Timestamp,updateTime 4 Timestamp
        Value:booleanValue 1 bool v,integerValue 2 int64 v,doubleValue 3 double v,\
        referenceValue 5 string v,mapValue 6 MapValue v,geoPointValue 8 LatLng v,\
        arrayValue 9 ArrayValue v,timestampValue 10 Timestamp v,nullValue 11 null v,\
        stringValue 17 string v,bytesValue 18 bytes v,fieldReferenceValue 19 string v,\
        functionValue 20 Function v,pipelineValue 21 Pipeline v,variableReferenceValue 22 string v
        ArrayValue:values 1 Value[]
        MapValue:fields 1 values
        LatLng:latitude 1 double,longitude 2 double
        Function:name 1 string,args 2 Value[],options 3 values
        Pipeline:stages 1 Stage[]
        Stage:name 1 string,args 2 Value[],options 3 values
        StructuredPipeline:pipeline 1 Pipeline,options 2 values
        DocumentMask:fieldPaths 1 string[]
        Precondition:exists 1 bool c,updateTime 2 Timestamp c
        TransactionOptions:readOnly 2 ReadOnly m,readWrite 3 ReadWrite m
        ReadOnly:readTime 2 Timestamp
        ReadWrite:retryTransaction 1 bytes,concurrencyMode 2 =ConcurrencyMode
        Write:update 1 Document o,delete 2 string o,verify 5 string o,transform 6 DocumentTransform o,\
        updateMask 3 DocumentMask,currentDocument 4 Precondition,updateTransforms 7 FieldTransform[]
        DocumentTransform:document 1 string,fieldTransforms 2 FieldTransform[]
        FieldTransform:fieldPath 1 string,setToServerValue 2 =ServerValue t,increment 3 Value t,\
        maximum 4 Value t,minimum 5 Value t,appendMissingElements 6 ArrayValue t,\
        removeAllFromArray 7 ArrayValue t
        WriteResult:updateTime 1 Timestamp,transformResults 2 Value[]
        Status:code 1 int32,message 2 string
        StructuredQuery:select 1 Projection,from 2 CollectionSelector[],where 3 Filter,\
        orderBy 4 Order[],limit 5 Int32Value,offset 6 int32,startAt 7 Cursor,endAt 8 Cursor,\
        findNearest 9 FindNearest
        CollectionSelector:collectionId 2 string,allDescendants 3 bool
        Filter:compositeFilter 1 CompositeFilter f,fieldFilter 2 FieldFilter f,\
        unaryFilter 3 UnaryFilter f
        CompositeFilter:op 1 =CompositeOperator,filters 2 Filter[]
        FieldFilter:field 1 FieldReference,op 2 =FieldOperator,value 3 Value
        UnaryFilter:op 1 =UnaryOperator,field 2 FieldReference
        Order:field 1 FieldReference,direction 2 =Direction
        FieldReference:fieldPath 2 string
        Projection:fields 2 FieldReference[]
        Cursor:values 1 Value[],before 2 bool
        FindNearest:vectorField 1 FieldReference,queryVector 2 Value,\
        distanceMeasure 3 =DistanceMeasure,limit 4 Int32Value,distanceResultField 5 string,\
        distanceThreshold 6 DoubleValue
        StructuredAggregationQuery:structuredQuery 1 StructuredQuery,aggregations 3 Aggregation[]
        Aggregation:count 1 Count a,sum 2 FieldAggregation a,avg 3 FieldAggregation a,alias 7 string
        Count:upTo 1 Int64Value
        FieldAggregation:field 1 FieldReference
        AggregationResult:aggregateFields 2 values
        ExplainOptions:analyze 1 bool
        ExplainMetrics:planSummary 1 PlanSummary,executionStats 2 ExecutionStats
        PlanSummary:indexesUsed 1 Struct[]
        ExecutionStats:resultsReturned 1 int64,executionDuration 3 Duration,readOperations 4 int64,\
        debugStats 5 Struct
        GetDocumentRequest:name 1 string,mask 2 DocumentMask,transaction 3 bytes s,\
        readTime 5 Timestamp s
        ListDocumentsRequest:parent 1 string,collectionId 2 string,pageSize 3 int32,\
        pageToken 4 string,orderBy 6 string,mask 7 DocumentMask,transaction 8 bytes s,\
        readTime 10 Timestamp s,showMissing 12 bool
        ListDocumentsResponse:documents 1 Document[],nextPageToken 2 string
        CreateDocumentRequest:parent 1 string,collectionId 2 string,documentId 3 string,\
        document 4 Document,mask 5 DocumentMask
        UpdateDocumentRequest:document 1 Document,updateMask 2 DocumentMask,mask 3 DocumentMask,\
        currentDocument 4 Precondition
        DeleteDocumentRequest:name 1 string,currentDocument 2 Precondition
        Empty:
        BatchGetDocumentsRequest:database 1 string,documents 2 string[],mask 3 DocumentMask,\
        transaction 4 bytes s,newTransaction 5 TransactionOptions s,readTime 7 Timestamp s
        BatchGetDocumentsResponse:found 1 Document,missing 2 string,transaction 3 bytes,\
        readTime 4 Timestamp
        BeginTransactionRequest:database 1 string,options 2 TransactionOptions
        BeginTransactionResponse:transaction 1 bytes
        CommitRequest:database 1 string,writes 2 Write[],transaction 3 bytes
        CommitResponse:writeResults 1 WriteResult[],commitTime 2 Timestamp
        RollbackRequest:database 1 string,transaction 2 bytes
        RunQueryRequest:parent 1 string,structuredQuery 2 StructuredQuery,transaction 5 bytes s,\
        newTransaction 6 TransactionOptions s,readTime 7 Timestamp s,\
        explainOptions 10 ExplainOptions
        RunQueryResponse:document 1 Document,transaction 2 bytes,readTime 3 Timestamp,\
        skippedResults 4 int32,done 6 bool,explainMetrics 11 ExplainMetrics
        ExecutePipelineRequest:database 1 string,structuredPipeline 2 StructuredPipeline,\
        transaction 5 bytes s,newTransaction 6 TransactionOptions s,readTime 7 Timestamp s,\
        autoCommitTransaction 9 bool
        ExecutePipelineResponse:transaction 1 bytes,results 2 Document[],executionTime 3 Timestamp
        RunAggregationQueryRequest:parent 1 string,\
        structuredAggregationQuery 2 StructuredAggregationQuery,transaction 4 bytes s,\
        newTransaction 5 TransactionOptions s,readTime 6 Timestamp s,\
        explainOptions 8 ExplainOptions
        RunAggregationQueryResponse:result 1 AggregationResult,transaction 2 bytes,\
        readTime 3 Timestamp,explainMetrics 10 ExplainMetrics
        PartitionQueryRequest:parent 1 string,structuredQuery 2 StructuredQuery,\
        partitionCount 3 int64,pageToken 4 string,pageSize 5 int32,readTime 6 Timestamp
        PartitionQueryResponse:partitions 1 Cursor[],nextPageToken 2 string
        ListCollectionIdsRequest:parent 1 string,pageSize 2 int32,pageToken 3 string,\
        readTime 4 Timestamp
        ListCollectionIdsResponse:collectionIds 1 string[],nextPageToken 2 string
        BatchWriteRequest:database 1 string,writes 2 Write[],labels 3 labels
        BatchWriteResponse:writeResults 1 WriteResult[],status 2 Status[]
        ListenRequest:database 1 string,addTarget 2 Target c,removeTarget 3 int32 c,labels 4 labels
        ListenResponse:targetChange 2 TargetChange,documentChange 3 DocumentChange,\
        documentDelete 4 DocumentDelete,filter 5 ExistenceFilter,documentRemove 6 DocumentRemove
        Target:query 2 QueryTarget t,documents 3 DocumentsTarget t,resumeToken 4 bytes r,\
        targetId 5 int32,once 6 bool,readTime 11 Timestamp r,expectedCount 12 Int32Value
        QueryTarget:parent 1 string,structuredQuery 2 StructuredQuery
        DocumentsTarget:documents 2 string[]
        TargetChange:targetChangeType 1 =TargetChangeType,targetIds 2 int32[],cause 3 Status,\
        resumeToken 4 bytes,readTime 6 Timestamp
        DocumentChange:document 1 Document,targetIds 5 int32[],removedTargetIds 6 int32[]
        DocumentDelete:document 1 string,readTime 4 Timestamp,removedTargetIds 6 int32[]
        DocumentRemove:document 1 string,removedTargetIds 2 int32[],readTime 4 Timestamp
        ExistenceFilter:targetId 1 int32,count 2 int32,unchangedNames 3 BloomFilter
        BloomFilter:bits 1 BitSequence,hashCount 2 int32
        BitSequence:bitmap 1 bytes,padding 2 int32
        WriteRequest:database 1 string,streamId 2 string,writes 3 Write[],streamToken 4 bytes,\
        labels 5 labels
        WriteResponse:streamId 1 string,streamToken 2 bytes,writeResults 3 WriteResult[],\
        commitTime 4 Timestamp
        """

    static let choices = """
        ConcurrencyMode:CONCURRENCY_MODE_UNSPECIFIED 0,OPTIMISTIC 1,PESSIMISTIC 2
        ServerValue:SERVER_VALUE_UNSPECIFIED 0,REQUEST_TIME 1
        CompositeOperator:OPERATOR_UNSPECIFIED 0,AND 1,OR 2
        FieldOperator:OPERATOR_UNSPECIFIED 0,LESS_THAN 1,LESS_THAN_OR_EQUAL 2,GREATER_THAN 3,\
        GREATER_THAN_OR_EQUAL 4,EQUAL 5,NOT_EQUAL 6,ARRAY_CONTAINS 7,IN 8,ARRAY_CONTAINS_ANY 9,\
        NOT_IN 10
        UnaryOperator:OPERATOR_UNSPECIFIED 0,IS_NAN 2,IS_NULL 3,IS_NOT_NAN 4,IS_NOT_NULL 5
        Direction:DIRECTION_UNSPECIFIED 0,ASCENDING 1,DESCENDING 2
        TargetChangeType:NO_CHANGE 0,ADD 1,REMOVE 2,CURRENT 3,RESET 4
        DistanceMeasure:DISTANCE_MEASURE_UNSPECIFIED 0,EUCLIDEAN 1,COSINE 2,DOT_PRODUCT 3
        """
}
