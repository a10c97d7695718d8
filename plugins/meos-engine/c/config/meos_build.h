/* What MEOS' CMake file would define; included before every file of MEOS, PostGIS and PostgreSQL. */
#define MEOS 1
#define CBUFFER 1
#define NPOINT 1
#define POSE 1
#define RGEO 1
#define MEOS_IS_BIG_ENDIAN 0
#define NO_FFSL 1
#define SYSTEMTZDIR "/zoneinfo"
#define MOBILITYDB_VERSION_STRING "MobilityDB 1.3.0rc1"
#define POSTGRESQL_VERSION_STRING "PostgreSQL 14.2"
#define POSTGRESQL_VERSION_NUMBER 140200
#define POSTGIS_VERSION_STRING "PostGIS 3.5.0"
#define POSTGIS_VERSION_NUMBER 30500
#define POSTGIS_PGSQL_VERSION 140
#define GSL_VERSION_STRING "2.8"
